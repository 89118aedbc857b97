import { DeliveryError } from '../client/delivery-error.ts';
import type { RetryingFetch } from '../client/retrying-fetch.ts';
import type { PaymentAnswer } from './explain-answer.ts';
import { asCaller, LOCAL_CALLER } from './local-caller.ts';
import { isJoined } from './marked-fetch.ts';
import type { Payment } from './payment.ts';

/** How a payment is sent: the page's switches. */
export interface Sending {
  readonly amount: number;
  /** The answer gets lost on the way. */
  readonly dropsAnswer: boolean;
  readonly honorsKeys: boolean;
  /** A duplicate waits for the first one's answer. */
  readonly waits: boolean;
}

/**
 * Sends a payment under an intent of the client's, until the signal aborts.
 *
 * @returns what came of it; an answer that settles nothing counts as one, too
 * @throws DeliveryError `storage` when nothing was sent, for want of a key
 */
export async function sendPayment(
  client: RetryingFetch,
  intent: string,
  { source }: Pick<Payment, 'source'>,
  { amount, dropsAnswer, honorsKeys, waits }: Sending,
  signal: AbortSignal,
): Promise<PaymentAnswer> {
  const headers = asCaller({
    ...(dropsAnswer && { 'local-fault': 'drop-response' }),
    ...(waits && { prefer: 'wait=10' }),
  });
  const body = JSON.stringify({ account: LOCAL_CALLER.account, amount, source });
  try {
    const url = honorsKeys ? '/charges' : '/_local/naive/charges';
    const response = await client.intent(intent)(url, { method: 'POST', headers, body, signal });
    return await read(response, isJoined(response));
  } catch (error) {
    // Without a key nothing was sent.
    if (!(error instanceof DeliveryError) || error.problem === 'storage') throw error;
    const joined = isJoined(error);
    if (error.response !== undefined) return read(error.response, joined, error.retryAfter);
    return { replayed: false, waited: false, joined };
  }
}

async function read(response: Response, joined: boolean, retryAfter?: number): Promise<PaymentAnswer> {
  const { status, headers } = response;
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem ? (await response.clone().json()).type.split('/').at(-1) : undefined;
  return {
    status,
    replayed: headers.has('idempotent-replayed'),
    joined,
    waited: headers.get('preference-applied')?.startsWith('wait') ?? false,
    retryAfter,
    problem,
  };
}

/** Is this the last word on the payment? A reused key says nothing about what it was used for, which may be pending. */
export const isFinal = ({ status, problem }: PaymentAnswer, wasPending: boolean): boolean =>
  status !== undefined &&
  ![401, 409].includes(status) &&
  status < 500 &&
  !(problem === 'idempotency-key-reused' && wasPending);
