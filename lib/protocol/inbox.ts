import { type Gap, gapsAbove } from './sequence.ts';

/** The version of an inbox's shape. */
export const INBOX_VERSION = 1;

/** A sender's mark, and the state that its messages make: one item, so that both move in one write (R29). */
export interface Inbox {
  readonly pk: string;
  readonly schemaVersion: number;
  /** The high-water mark: everything up to here is applied. */
  readonly last: number;
  /** Which write moved the mark last, so that one whose answer was lost knows itself (R10). */
  readonly ownerToken?: string;
  /** Numbers that came too early and are in the dead-letter queue. */
  readonly parked?: ReadonlySet<number>;
  /** What deltas add up to, by name. */
  readonly sums?: Readonly<Record<string, number>>;
  /** What folds make of the messages. */
  readonly state?: unknown;
}

/** What a sender may know of its inbox. */
export interface InboxView {
  readonly appliedUpTo: number;
  readonly expected: number;
  readonly gaps: readonly Gap[];
  readonly sums: Readonly<Record<string, number>>;
  readonly state: unknown;
}

/** What there is to know of an inbox; one that was never written to is at 0. @example viewInbox(undefined).expected // 1 */
export const viewInbox = (inbox: Inbox | undefined): InboxView => {
  const { last = 0, parked = [], sums = {}, state } = inbox ?? {};
  return { appliedUpTo: last, expected: last + 1, gaps: gapsAbove(last, parked), sums, state };
};
