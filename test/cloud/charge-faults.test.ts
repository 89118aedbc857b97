import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newCharge, type OneCharge, runReconciler } from '../setup/charges.ts';
import { callsOf, type HttpReply } from '../setup/http-caller.ts';

const numbered = (kind: string) => [1, 2, 3, 4].map((call) => `${kind}=${call}`);

/** Call 1 is authentication's read, 2 the claim with its hold, 3 a read before the provider's call, 4 the booking. */
const FAULTS = [
  ...numbered('crash-before'),
  ...numbered('crash-after'),
  ...numbered('lose-response'),
  ...numbered('throttle'),
  'conflict=2',
  'conflict=4',
  'drop-response',
  'delay=50',
  'lose-response=2, lose-response=3, crash-after=5',
];

/** As a client does whose time passes quickly: what is left of a lease does not keep it waiting. */
async function insist(charge: OneCharge, before: () => Promise<unknown>): Promise<HttpReply> {
  for (;;) {
    await charge.lapse();
    await before();
    const reply = await charge.send().catch((): undefined => undefined);
    if (reply !== undefined && reply.status !== 409 && reply.status < 500) return reply;
    await pause(200);
  }
}

const STATUSES = [201, 502, 503];

describe.concurrent('a charge', { timeout: 60_000 }, () => {
  it.each(FAULTS)('R11 happens once through %s and retries', async (fault) => {
    const charge = await newCharge('tok_ok');
    const first = await charge.send({ fault }).catch((): undefined => undefined);
    expect(STATUSES).toContain(first?.status ?? 502);
    const reply = await insist(charge, async () => {});
    await charge.expectOne(reply);
    if (first?.status === 201) expect(first.text).toBe(reply.text);
    expect((await charge.send()).text).toBe(reply.text);
  });

  it.each(['crash-after=2', 'crash-after=3', 'crash-before=4', 'crash-after=4'])(
    'C45 left by %s happens once when the reconciler finishes it',
    async (fault) => {
      const charge = await newCharge('tok_ok');
      expect((await charge.send({ fault })).status).toBe(502);
      const reply = await insist(charge, runReconciler);
      expect(reply.headers.get('idempotent-replayed')).toBe('true');
      await charge.expectOne(reply);
    },
  );

  it('R9 costs four requests to DynamoDB, two of which write', async () => {
    const charge = await newCharge('tok_ok');
    const reply = await charge.send();
    const calls = await callsOf(reply.headers.get('operation-id') ?? '');
    expect(calls.map(({ action }) => action.replace('dynamodb:', ''))).toEqual([
      'GetItem',
      'TransactWriteItems',
      'GetItem',
      'TransactWriteItems',
    ]);
  });
});
