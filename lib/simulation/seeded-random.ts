/** A source of numbers from 0 to 1, 1 excluded. */
export type Random = () => number;

/**
 * A source of numbers that is the same for the same seed: mulberry32, which is small, fast, and random enough to lose
 * and to shuffle messages by.
 *
 * @param seed a whole number; its lowest 32 bits count
 * @example seededRandom(7)() === seededRandom(7)() // true
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
