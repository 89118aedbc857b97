import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { SIGNED_HEADERS } from '../../lib/cli/sample-delivery.ts';
import { WEBHOOK_SOURCES, type WebhookSourceName } from '../../lib/cli/webhook-secrets.ts';
import { type HttpCaller, type HttpReply, newCaller } from '../setup/http-caller.ts';

/** Each leaves the client without an answer, or the function without one of DynamoDB's, after something was written. */
const FAULTS = ['crash-after=2', 'crash-after=4', 'lose-response=2', 'lose-response=4', 'drop-response'] as const;

const ORDER = 40;
const PAYMENT = 100;

/** Under the fault first, whatever comes of it, then as it should be, twice. */
async function thrice(request: (fault?: string) => Promise<HttpReply>, fault: string): Promise<number[]> {
  await request(fault).catch(() => undefined);
  return [(await request()).status, (await request()).status];
}

function report(caller: HttpCaller, account: string, source: WebhookSourceName) {
  const eventId = randomUUID();
  const data = { id: randomUUID(), account, amount: PAYMENT };
  const body = JSON.stringify({ id: eventId, type: 'payment.succeeded', data });
  const secret = inject('cloud').webhookSecrets[source];
  return (fault?: string) => {
    const headers = SIGNED_HEADERS[source]({ body, eventId, secret, now: new Date() });
    return caller.send('POST', `/webhooks/${source}`, { body, headers, ...(fault && { fault }) });
  };
}

describe.each(FAULTS)('without a key, under %s', (fault) => {
  it('R34 an order is placed once and paid once', async () => {
    const caller = await newCaller();
    const account = await caller.openAccount(1_000);
    const order = { orderId: randomUUID(), account, amount: ORDER };
    const place = (given?: string) => caller.send('POST', '/orders', { body: order, ...(given && { fault: given }) });
    const pay = (given?: string) =>
      caller.send('POST', `/orders/${order.orderId}/payment`, {
        body: { attemptId: 'first' },
        ...(given && { fault: given }),
      });
    expect([
      [201, 200],
      [200, 200],
    ]).toContainEqual(await thrice(place, fault));
    expect(await thrice(pay, fault)).toEqual([200, 200]);
    expect((await caller.get(`/accounts/${account}`)).json.balance).toBe(1_000 - ORDER);
    expect((await caller.get(`/accounts/${account}/entries`)).json.entries).toHaveLength(2);
  });

  it('R37 a grant is set once', async () => {
    const caller = await newCaller();
    const account = await caller.openAccount(1_000);
    const put = (given?: string) =>
      caller.send('PUT', `/accounts/${account}/grants/g1`, { body: { credits: 3 }, ...(given && { fault: given }) });
    expect([
      [201, 200],
      [200, 200],
    ]).toContainEqual(await thrice(put, fault));
    expect((await caller.get(`/accounts/${account}`)).json.credits).toBe(3);
  });

  it('R31 a payment is credited once, from each source', async () => {
    const caller = await newCaller();
    const account = await caller.openAccount(1_000);
    for (const source of WEBHOOK_SOURCES) {
      expect(await thrice(report(caller, account, source), fault)).toEqual([200, 200]);
    }
    expect((await caller.get(`/accounts/${account}`)).json.balance).toBe(1_000 + WEBHOOK_SOURCES.length * PAYMENT);
  });
});
