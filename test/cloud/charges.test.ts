import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InProgressRecord } from '../../lib/protocol/record.ts';
import { newCharge, type OneCharge, runReconciler, until } from '../setup/charges.ts';
import { callsOf, type HttpReply } from '../setup/http-caller.ts';

const operationOf = (reply: HttpReply): string => reply.headers.get('operation-id') ?? '';
const isFinal = ({ status }: HttpReply): boolean => status !== 409 && status < 500;

/** As a good client does: again after as long as it is told, until the answer is final. */
async function insist(charge: OneCharge): Promise<HttpReply[]> {
  const replies: HttpReply[] = [];
  for (;;) {
    const reply = await charge.send();
    replies.push(reply);
    if (isFinal(reply)) return replies;
    await pause(Number(reply.headers.get('retry-after')) * 1_000);
  }
}

const charged = (charge: OneCharge) => until(async () => (await charge.providerCharges()).length === 1);

// The first environments take seconds to start on a busy machine; the provider's patience is not what is tested.
beforeAll(async () => {
  const charges = await Promise.all([1, 2, 3].map(() => newCharge('tok_ok')));
  await Promise.all(charges.map(insist));
}, 60_000);

describe.concurrent('a charge', { timeout: 60_000 }, () => {
  it('C44 whose provider answers too late is 503 with its operation, and 201 a moment later', async () => {
    const charge = await newCharge('tok_timeout');
    const first = await charge.send();
    expect(first).toMatchObject({ status: 503, json: { type: '/problems/outcome-unknown', retryable: true } });
    expect([operationOf(first).slice(0, 3), first.headers.get('retry-after')]).toEqual(['op_', '1']);
    expect(await charge.caller.balanceOf(charge.account)).toBe(0);
    const second = (await insist(charge)).at(-1) as HttpReply;
    expect(operationOf(second)).toBe(operationOf(first));
    await charge.expectOne(second);
    expect((await charge.send()).text).toBe(second.text);
  });

  it('R18 sent again while it is held is 409, or 202 for those who look later', async () => {
    const charge = await newCharge('tok_ok');
    expect((await charge.send({ fault: 'crash-before=4' })).status).toBe(502);
    await charge.hold();
    const early = await charge.send();
    expect(early).toMatchObject({ status: 409, json: { type: '/problems/request-in-flight' } });
    expect(early.headers.get('retry-after')).toBe('5');
    const later = await charge.send({ headers: { prefer: 'respond-async' } });
    const operation = operationOf(later);
    const location = `/operations/${operation}`;
    expect([later.status, later.json, later.headers.get('location')]).toEqual([202, { operation }, location]);
    const look = async () => (await charge.caller.get(location)).json;
    expect(await look()).toMatchObject({ id: operation, status: 'in_progress', attempts: 1 });
    await charge.lapse();
    const reply = (await insist(charge)).at(-1) as HttpReply;
    expect(await look()).toMatchObject({ status: 'completed', reply: { status: 201, body: reply.text } });
    await charge.expectOne(reply);
  });

  it('C44 whose provider answers 500 is settled by the reconciler, and the client gets the reply', async () => {
    const charge = await newCharge('tok_500');
    const first = await charge.send();
    expect(first).toMatchObject({ status: 503, json: { type: '/problems/outcome-unknown' } });
    await until(async () => (await runReconciler()).ok && (await charge.records()).length === 0);
    const second = await charge.send();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    await charge.expectOne(second);
  });

  it('R18 sent twice at once: the second waits, and gets the first’s body', async () => {
    const charge = await newCharge('tok_slow');
    const headers = { prefer: 'wait=9' };
    const replies = await Promise.all([charge.send({ headers }), charge.send({ headers })]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies.map((reply) => reply.headers.get('idempotent-replayed')).sort()).toEqual([null, 'true'].sort());
    expect(replies[1]?.text).toBe(replies[0]?.text);
    await charge.expectOne(replies[0] as HttpReply);
  });

  it('C5 whose function died is finished once its lease is over, and not before', async () => {
    const charge = await newCharge('tok_ok');
    expect((await charge.send({ fault: 'crash-before=4' })).status).toBe(502);
    await charged(charge);
    const [left] = (await charge.records()) as readonly InProgressRecord[];
    const replies = await insist(charge);
    expect(Date.now()).toBeGreaterThanOrEqual(left?.leaseUntil ?? Number.NaN);
    expect(new Set(replies.map(operationOf))).toEqual(new Set([left?.operationId]));
    await charge.expectOne(replies.at(-1) as HttpReply);
  });

  it('C15 as a zombie that wakes after a takeover writes nothing', async () => {
    const charge = await newCharge('tok_timeout');
    const sleeping = charge.send();
    await charged(charge);
    await charge.lapse();
    const winner = (await insist(charge)).at(-1) as HttpReply;
    await charge.expectOne(winner);
    const zombie = await sleeping;
    expect([zombie.status, zombie.text]).toEqual([201, winner.text]);
    expect(zombie.headers.get('idempotent-replayed')).toBe('true');
    const request = zombie.headers.get('apigw-requestid');
    const calls = (await callsOf(operationOf(winner))).filter((call) => call.request === request);
    const writes = calls.filter(({ writeUnits }) => writeUnits !== null);
    expect(writes.map(({ action, status, error }) => [action, status, error])).toEqual([
      ['dynamodb:TransactWriteItems', 200, null],
      ['dynamodb:PutItem', 400, 'ConditionalCheckFailedException'],
    ]);
  });
});
