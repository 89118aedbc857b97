import { itemSize } from './item-size.ts';
import { type Refusal, refuse } from './plan.ts';

/** DynamoDB takes 32 levels, of which the item itself is one. */
const DEEPEST = 31;
/** DynamoDB's number nearest to 0. */
const LEAST = 1e-130;
/** Of the 400 KB of an item, without the most that its key, its sums and its parked numbers take. */
const LARGEST = 384 * 1_024;

/**
 * Refuses the message that leads to a state which DynamoDB never takes: it would fail each time it comes, and everything
 * that comes with it.
 *
 * @rule R29
 * @returns undefined for a state that can be stored
 * @example refuseState({ share: 1e-200 }) // refuse('message-refused', 'The state after it holds the number 1e-200, …')
 */
export function refuseState(state: unknown): Refusal | undefined {
  const flaw = flawIn(state, 0) ?? excessOf(state);
  return flaw === undefined ? undefined : refuse('message-refused', `The state after it ${flaw}.`);
}

function flawIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number' && !isStorable(value)) return `holds the number ${value}, which DynamoDB does not take`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEEPEST) return `is more than ${DEEPEST} levels deep`;
  for (const [name, member] of Object.entries(value)) {
    const flaw = name === '' ? 'has a member with no name' : flawIn(member, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/** Beyond the safe integers the SDK itself refuses; NaN is on neither side of anything. */
const isStorable = (value: number): boolean =>
  value === 0 || (Math.abs(value) >= LEAST && Math.abs(value) <= Number.MAX_SAFE_INTEGER);

function excessOf(state: unknown): string | undefined {
  const size = itemSize({ state });
  return size > LARGEST ? `has ${size} bytes, and may have ${LARGEST}` : undefined;
}
