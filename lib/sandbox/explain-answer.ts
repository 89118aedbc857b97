import type { Explanation } from './explanation.ts';

/** What came of sending a payment once. */
export interface PaymentAnswer {
  /** Absent where no answer came. */
  readonly status?: number;
  readonly replayed: boolean;
  /** Did the server make the request wait for the first one's answer? */
  readonly waited: boolean;
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
  /** Was the payment sent before? */
  readonly again: boolean;
  /** Is it the payment's second key or a later one? */
  readonly anotherKey: boolean;
}

/** Says what an answer means, and which rule made it so. */
export function explainAnswer(answer: PaymentAnswer, circumstances: Circumstances): Explanation {
  const { status } = answer;
  if (status === undefined) return noAnswer(circumstances);
  if (!circumstances.honorsKeys) return naively(status, circumstances);
  if (status === 201) return charged(answer, circumstances);
  return problems(answer)[answer.problem ?? ''] ?? other(status, answer);
}

function noAnswer({ honorsKeys }: Circumstances): Explanation {
  const title = 'No answer';
  if (!honorsKeys) {
    return {
      title,
      tone: 'bad',
      text: 'The answer got lost. Did the money move? With this server, a retry is a gamble.',
    };
  }
  const text = 'The answer got lost, so the outcome is unknown. The key is kept: retry with the same key.';
  return { title, tone: 'wait', rule: 'R39', text };
}

function naively(status: number, { amount, again }: Circumstances): Explanation {
  if (status >= 300) return other(status, {});
  const title = `${status} Charged`;
  return again
    ? { title, tone: 'bad', text: `${amount} charged again: this server ignores keys.` }
    : { title, tone: 'plain', text: `${amount} charged. This server ignores keys, so nothing is stored under it.` };
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

const problems = ({ retryAfter }: PaymentAnswer): Readonly<Record<string, Explanation>> => ({
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
    text: 'The provider did not say how it ended. Nothing is stored as final: retry with the same key.',
  },
  'card-declined': {
    title: '402 Declined',
    tone: 'plain',
    rule: 'R16',
    text: 'The card was declined. A refusal is final, too: it is stored under the key.',
  },
  'store-unavailable': {
    title: '503 Store unavailable',
    tone: 'wait',
    rule: 'R21',
    text: 'The key store cannot be reached, and without it nothing is charged.',
  },
});

function other(status: number, { problem }: Pick<PaymentAnswer, 'problem'>): Explanation {
  if (status >= 500 && problem === undefined) {
    const text = 'The server failed on the way, so the outcome is unknown. The key is kept: retry with the same key.';
    return { title: `${status} Failed`, tone: 'wait', rule: 'R39', text };
  }
  const text = problem === undefined ? 'The server says no more about it.' : `The server says: ${problem}.`;
  return { title: String(status), tone: status < 300 ? 'plain' : 'bad', text };
}
