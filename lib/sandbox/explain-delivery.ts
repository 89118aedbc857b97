import type { Explanation } from './explanation.ts';

/** How a deposit got to its consumer. */
export type Way = 'sent' | 'sent again' | 'acknowledgement lost';

/** Says what became of a deposit, given how often it was credited. */
export function explainDeposit(way: Way, credited: number): Explanation {
  if (credited === 0) {
    return { title: 'Not credited', tone: 'bad', text: 'The deposit is not credited (yet): see the dead letters.' };
  }
  if (credited > 1) return { title: 'Credited twice', tone: 'bad', text: 'This must not happen.' };
  return { title: 'Credited once', tone: 'good', ...WAYS[way] };
}

const WAYS: Readonly<Record<Way, Pick<Explanation, 'text' | 'rule'>>> = {
  sent: { rule: 'R25', text: 'Marker and money are one write: both are there, or neither.' },
  'sent again': {
    rule: 'R26',
    text: 'The queue delivered two messages with one event id. The second met the marker and changed nothing.',
  },
  'acknowledgement lost': {
    rule: 'R25',
    text: 'The queue never heard that it was handled and delivered it again. The marker said: known already.',
  },
};

/** What a receiver says about a sender of numbered messages. */
export interface SenderView {
  readonly appliedUpTo: number;
  readonly total: number;
  readonly expected: number;
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

/** Says what the receiver made of a message with this number. */
export function explainNumber(seq: number, { appliedUpTo, expected, total }: SenderView): Explanation {
  if (seq <= appliedUpTo) {
    const text = `It was its turn: mark ${appliedUpTo} and total ${total} moved in one write.`;
    return { title: `Number ${seq} applied`, tone: 'good', rule: 'R29', text };
  }
  const text = `${expected} is missing before it. It waits in the dead-letter queue, reason “gap”, and blocks nobody.`;
  return { title: `Number ${seq} set aside`, tone: 'wait', rule: 'R29', text };
}

/** What sending again did. */
interface Resend {
  /** How many messages are not applied. */
  readonly left: number;
  readonly resent: readonly number[];
  /** The numbers that lie in the dead-letter queue. */
  readonly parked: readonly number[];
}

/** Says what sending again has brought. */
export function explainResend({ left, resent, parked }: Resend, { appliedUpTo, total }: SenderView): Explanation {
  const sent = resent.length === 0 ? 'Nothing had to be sent again.' : `Sent again: ${resent.join(', ')}.`;
  if (left > 0) {
    const text = `${sent} ${left} not applied yet; the mark is at ${appliedUpTo}.`;
    return { title: 'Sent again', tone: 'wait', rule: 'R41', text };
  }
  const applied = `Everything up to ${appliedUpTo} is applied, total ${total}.`;
  const behind = parked.filter((seq) => seq <= appliedUpTo);
  const text = [sent, applied, ...(behind.length > 0 ? [leftBehind(behind)] : [])].join(' ');
  return { title: 'Nothing missing', tone: 'good', rule: 'R41', text };
}

const leftBehind = (parked: readonly number[]): string =>
  parked.length === 1
    ? `The dead letter of ${parked} stays, though its number was applied by now: sent back to its queue it would be a duplicate.`
    : `The dead letters of ${parked.join(', ')} stay, though their numbers were applied by now: sent back to their queue they would be duplicates.`;
