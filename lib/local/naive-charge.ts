import { randomUUID } from 'node:crypto';
import { gatewayAnswer, type HttpAnswer, problemAnswer } from './http-answer.ts';

interface ChargeOrder {
  readonly amount: number;
  readonly source: string;
}

/**
 * Charges a card as a server does that knows nothing of keys: what is sent twice is charged twice. The key that a client
 * sends is in the provider's reference, so that one can see what belongs together.
 *
 * @param providerUrl undefined where the stack has no provider
 */
export async function naiveCharge(
  providerUrl: string | undefined,
  body: Buffer,
  key: string | undefined,
): Promise<HttpAnswer> {
  if (providerUrl === undefined) return problemAnswer(404, 'No provider', 'No function of the stack has one.');
  const order = readOrder(body);
  if (order === undefined) return problemAnswer(400, 'Not a charge', 'Send {"amount": 500, "source": "tok_ok"}.');
  const reference = `naive-${key ?? 'without-key'}-${randomUUID()}`;
  const answer = await fetch(`${providerUrl}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...order, currency: 'EUR', reference }),
  });
  return gatewayAnswer(answer.status, answer.ok ? 'Charged' : 'Not charged');
}

function readOrder(body: Buffer): ChargeOrder | undefined {
  try {
    const { amount, source } = JSON.parse(body.toString());
    return Number.isSafeInteger(amount) && amount > 0 && typeof source === 'string' ? { amount, source } : undefined;
  } catch {
    return undefined;
  }
}
