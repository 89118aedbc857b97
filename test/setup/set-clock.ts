import { type Surroundings, SYSTEM } from '../../lib/engine/surroundings.ts';
import { type Milliseconds, milliseconds } from '../../lib/protocol/time.ts';

/** Surroundings whose clock stands still but for sleeping and for what the test adds. */
export interface SetClock extends Surroundings {
  advance(duration: number): void;
}

/** @default noon on 2026-11-30, and every jitter at half of its bound */
export function setClock(start: number = Date.UTC(2026, 10, 30, 12), random = 0.5): SetClock {
  let now = start;
  return {
    ...SYSTEM,
    now: () => milliseconds(now),
    random: () => random,
    sleep: async (duration: Milliseconds) => {
      now += duration;
    },
    abortAfter: () => new AbortController().signal,
    advance: (duration) => {
      now += duration;
    },
  };
}
