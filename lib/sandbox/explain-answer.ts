import { euros, MOST } from './euros.ts';
import type { Explanation } from './explanation.ts';

/** What came of sending a payment once. */
export interface PaymentAnswer {
  /** Absent where no answer came. */
  readonly status?: number;
  readonly replayed: boolean;
  /** Did the server make the request wait for the first one's answer? */
  readonly waited: boolean;
  /** Was nothing sent for this tap, since the same call was under way? */
  readonly joined: boolean;
  /** In milliseconds. */
  readonly retryAfter?: number | undefined;
  /** The problem's code. @example 'request-in-flight' */
  readonly problem?: string | undefined;
}

/** Under which circumstances. */
export interface Circumstances {
  readonly amount: string;
  /** Does the server look at keys at all? */
  readonly honorsKeys: boolean;
  /** Would the next attempt carry the same key? */
  readonly keepsKey: boolean;
  /** Was the payment sent before? */
  readonly again: boolean;
  /** Is it the payment's second key or a later one? */
  readonly anotherKey: boolean;
}

/** Says what an answer means, and which rule made it so. */
export function explainAnswer(answer: PaymentAnswer, circumstances: Circumstances): Explanation {
  const { status } = answer;
  if (answer.joined) return joined(status);
  if (status === undefined) return unknown('No answer', 'No answer came', circumstances);
  if (!circumstances.honorsKeys) return naively(status, circumstances);
  if (status === 201) return charged(answer, circumstances);
  return problems(answer, circumstances)[answer.problem ?? ''] ?? other(status, answer, circumstances);
}

function joined(status: number | undefined): Explanation {
  const text = 'The first call was still under way, so nothing was sent for this tap: it joined that call';
  if (status === undefined) {
    return { title: 'Joined', tone: 'wait', rule: 'R39', text: `${text}, which got no answer.` };
  }
  const tone = status < 300 ? 'good' : status < 500 ? 'bad' : 'wait';
  return { title: `${status} Joined`, tone, rule: 'R39', text: `${text} and has its answer.` };
}

/** What may have happened, and what to do about it. */
function unknown(title: string, what: string, circumstances: Circumstances): Explanation {
  const text = `${what}, so the outcome is unknown. ${advice(circumstances)}`;
  const { honorsKeys, keepsKey } = circumstances;
  return { title, tone: honorsKeys && keepsKey ? 'wait' : 'bad', ...(honorsKeys && { rule: 'R39' }), text };
}

/** What a retry would do. */
function advice({ honorsKeys, keepsKey }: Circumstances): string {
  if (!honorsKeys) return 'This server ignores keys, so no rule applied and a retry is a gamble: it may charge twice.';
  if (!keepsKey) return 'The next attempt takes a new key and may charge again.';
  return 'The key is kept: retry with the same key.';
}

function naively(status: number, circumstances: Circumstances): Explanation {
  if (status >= 300) return other(status, {}, circumstances);
  const { amount, again } = circumstances;
  const title = `${status} Charged`;
  return again
    ? { title, tone: 'bad', text: `${amount} charged again: this server ignores keys, so no rule applied.` }
    : { title, tone: 'plain', text: `${amount} charged. This server ignores keys, so no rule applied.` };
}

function charged({ replayed, waited }: PaymentAnswer, { amount, anotherKey }: Circumstances): Explanation {
  if (waited) {
    const text = 'The duplicate waited and got the first request’s answer. Nothing more was charged.';
    return { title: '201 Replayed', tone: 'good', rule: 'R18', text };
  }
  if (replayed) {
    const text = 'The stored answer again, byte for byte. Nothing more was charged.';
    return { title: '201 Replayed', tone: 'good', rule: 'R17', text };
  }
  if (anotherKey) {
    const text = `${amount} charged: the client made a new key, and to the server that is another payment.`;
    return { title: '201 Charged', tone: 'bad', rule: 'R39', text };
  }
  return {
    title: '201 Charged',
    tone: 'good',
    rule: 'R16',
    text: `${amount} charged. The answer is stored under the key.`,
  };
}

const problems = (
  { retryAfter }: PaymentAnswer,
  circumstances: Circumstances,
): Readonly<Record<string, Explanation>> => ({
  'request-in-flight': {
    title: '409 In flight',
    tone: 'wait',
    rule: 'R18',
    text: `The first request with this key is still running: come back in ${Math.ceil((retryAfter ?? 1_000) / 1_000)} s.`,
  },
  'idempotency-key-reused': {
    title: '422 Key reused',
    tone: 'bad',
    rule: 'R7',
    text: 'The key belongs to another amount. This is a mistake and not a retry, so nothing was charged.',
  },
  'outcome-unknown': {
    title: '503 Outcome unknown',
    tone: 'wait',
    rule: 'R15',
    text: `The provider did not say how it ended, so nothing is stored as final. ${advice(circumstances)}`,
  },
  'card-declined': {
    title: '402 Declined',
    tone: 'plain',
    rule: 'R16',
    text: 'The card was declined. A refusal is final, too: it is stored under the key.',
  },
  'balance-limit': {
    title: '422 No room',
    tone: 'plain',
    rule: 'R16',
    text: `An account holds at most ${euros(MOST)}, so nothing was charged. The refusal is stored under the key.`,
  },
  'too-many-conflicts': {
    title: '503 Too many conflicts',
    tone: 'wait',
    rule: 'R22',
    text: `The record kept changing under the request, or was wiped, so nothing is settled. ${advice(circumstances)}`,
  },
  'store-unavailable': {
    title: '503 Store unavailable',
    tone: 'wait',
    rule: 'R21',
    text: 'The key store cannot be reached, and without it nothing is charged.',
  },
});

function other(status: number, { problem }: Pick<PaymentAnswer, 'problem'>, circumstances: Circumstances): Explanation {
  if (status >= 500 && problem === undefined) {
    return unknown(`${status} Failed`, 'The server failed on the way', circumstances);
  }
  const text = problem === undefined ? 'The server says no more about it.' : `The server says: ${problem}.`;
  return { title: String(status), tone: status < 300 ? 'plain' : 'bad', text };
}
