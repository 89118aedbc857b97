import { textSize } from './item-size.ts';
import { SemelError } from './problems.ts';
import { scopedKey } from './scope.ts';

/** What a numbered message is to a receiver that has applied everything up to its mark. */
export type SequenceDecision = 'apply' | 'duplicate' | 'gap';

/** What became of a message in a batch; `refused`: its turn, but it can never be applied. */
export type SequenceEnding = 'applied' | 'refused' | Exclude<SequenceDecision, 'apply'>;

/** Numbers that are missing below one that was seen, both ends included. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/**
 * Decides about one number, given the last one applied (0: none yet).
 *
 * @rule R29
 * @example decideSequence(2, 4) // 'gap'
 */
export function decideSequence(last: number, seq: number): SequenceDecision {
  if (seq <= last) return 'duplicate';
  return seq === last + 1 ? 'apply' : 'gap';
}

/**
 * Decides about a batch in the order in which it came; each applied number moves the mark for the next.
 *
 * @rule R29
 * @param accept says of the n-th message, when its turn has come, whether it can be applied; a no leaves the mark
 * @default accept everything
 * @example foldSequence(0, [1, 2, 2, 4, 1, 3])
 * // { last: 3, endings: ['applied', 'applied', 'duplicate', 'gap', 'duplicate', 'applied'] }
 */
export function foldSequence(
  last: number,
  numbers: readonly number[],
  accept: (index: number) => boolean = () => true,
): { readonly last: number; readonly endings: readonly SequenceEnding[] } {
  let mark = last;
  const endings = numbers.map((seq, index): SequenceEnding => {
    const decision = decideSequence(mark, seq);
    if (decision !== 'apply') return decision;
    if (!accept(index)) return 'refused';
    mark = seq;
    return 'applied';
  });
  return { last: mark, endings };
}

/**
 * The numbers that a sender has to send before the parked ones can be applied; empty once the mark has passed them.
 *
 * @rule R29
 * @example gapsAbove(2, [4, 7]) // [{ from: 3, to: 3 }, { from: 5, to: 6 }]
 */
export function gapsAbove(last: number, parked: Iterable<number>): readonly Gap[] {
  const gaps: Gap[] = [];
  let seen = last;
  for (const seq of [...parked].sort((a, b) => a - b)) {
    if (seq > seen + 1) gaps.push({ from: seen + 1, to: seq - 1 });
    seen = Math.max(seen, seq);
  }
  return gaps;
}

/** Where a sender's mark is: senders are told apart within their source. @example inboxKey({ consumer: 'c', source: 's', sender: 'a' }) // { pk: 'inbox#c#1:s1:a' } */
export const inboxKey = (inbox: {
  readonly consumer: string;
  readonly source: string;
  readonly sender: string;
}): { readonly pk: string } => ({ pk: `inbox#${inbox.consumer}#${scopedKey([inbox.source, inbox.sender])}` });

/** The longest key that DynamoDB takes, in bytes. */
const LONGEST_KEY = 2_048;

/**
 * Refuses a sender that can have no inbox: its messages would fail each time they come.
 *
 * @rule R29
 * @throws SemelError `message-refused`
 */
export function checkInboxKey(inbox: Parameters<typeof inboxKey>[0]): void {
  const size = textSize(inboxKey(inbox).pk);
  if (size <= LONGEST_KEY) return;
  throw new SemelError(
    'message-refused',
    `The key of this sender's inbox has ${size} bytes, and may have ${LONGEST_KEY}: shorten the sender's name.`,
  );
}
