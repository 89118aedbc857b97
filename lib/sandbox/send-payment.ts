import { DeliveryError } from '../client/delivery-error.ts';
import type { RetryingFetch } from '../client/retrying-fetch.ts';
import type { PaymentAnswer } from './explain-answer.ts';
import { asCaller, LOCAL_CALLER } from './local-caller.ts';
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
 * Sends a payment under an intent of the client's.
 *
 * @returns what came of it; an answer that settles nothing counts as one, too
 */
export async function sendPayment(
  client: RetryingFetch,
  intent: string,
  { source }: Pick<Payment, 'source'>,
  { amount, dropsAnswer, honorsKeys, waits }: Sending,
): Promise<PaymentAnswer> {
  const headers = asCaller({
    ...(dropsAnswer && { 'local-fault': 'drop-response' }),
    ...(waits && { prefer: 'wait=10' }),
  });
  const body = JSON.stringify({ account: LOCAL_CALLER.account, amount, source });
  try {
    const send = client.intent(intent);
    return await read(await send(honorsKeys ? '/charges' : '/_local/naive/charges', { method: 'POST', headers, body }));
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    if (error.response !== undefined) return read(error.response, error.retryAfter);
    return { replayed: false, waited: false };
  }
}

async function read(response: Response, retryAfter?: number): Promise<PaymentAnswer> {
  const { status, headers } = response;
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem ? (await response.json()).type.split('/').at(-1) : undefined;
  return {
    status,
    replayed: headers.has('idempotent-replayed'),
    waited: headers.get('preference-applied')?.startsWith('wait') ?? false,
    retryAfter,
    problem,
  };
}

/** Is this the last word on the payment? */
export const isFinal = ({ status }: PaymentAnswer): boolean =>
  status !== undefined && status !== 401 && status !== 409 && status !== 422 && status < 500;
