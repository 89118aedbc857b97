import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { call } from '../cli/call.ts';
import { type HttpCaller, newCaller } from '../setup/http-caller.ts';

/** Queue, poller and stream follow within moments; a busy machine takes its time. */
const SOON = { timeout: 15_000, interval: 200 };

let caller: HttpCaller;
beforeAll(async () => {
  caller = await newCaller();
});

const deadLetters = async (eventId: string): Promise<readonly { readonly reason: string }[]> => {
  const { json } = await caller.get('/_local/state');
  return json.deadLetters.filter((letter: { eventId: string }) => letter.eventId === eventId);
};

/** A transfer above the limit, and the event that tells of it. */
async function tellOfTransfer(headers: Record<string, string> = {}) {
  const [from, to] = [await caller.openAccount(200_000), await caller.openAccount()];
  const reply = await caller.post('/transfers', { key: randomUUID(), body: { from, to, amount: 150_000 }, headers });
  expect(reply.status).toBe(201);
  return { from, to, eventId: `evt_${reply.json.id.slice('tr_'.length)}` };
}

const stored = async (eventId: string) => {
  const Key = { pk: `notification#${eventId}`, sk: 'notification' };
  return (await caller.table.client.send(new GetCommand({ TableName: caller.table.table, Key, ConsistentRead: true })))
    .Item;
};

const waiting = async (eventId: string) => {
  const outbox = { TableName: inject('cloud').tableNames.idempotency, Key: { pk: `outbox#${eventId}` } };
  return (await caller.table.client.send(new GetCommand(outbox))).Item;
};

/** How many of the relay's sends a fault has struck so far. */
const struck = async (fault: string): Promise<number> => {
  const { json } = await caller.get('/_local/calls');
  const calls: readonly { function: string; action: string; fault: string | null }[] = json.calls;
  return calls.filter(
    (made) => made.function.includes('OutboxRelay') && made.action === 'sqs:SendMessage' && made.fault === fault,
  ).length;
};

describe('over HTTP and the queues', () => {
  it('R25 C48 a deposit is credited once; its event id with another amount is parked', async () => {
    const account = await caller.openAccount();
    const body = { eventId: randomUUID(), account, amount: 700 };
    for (let send = 1; send <= 3; send++) expect((await caller.post('/deposits', { body })).status).toBe(202);
    await expect.poll(() => caller.balanceOf(account), SOON).toBe(700);
    expect((await caller.post('/deposits', { body: { ...body, amount: 701 } })).status).toBe(202);
    await expect.poll(() => deadLetters(body.eventId), SOON).toMatchObject([{ reason: 'event-id-reused' }]);
    expect(await caller.balanceOf(account)).toBe(700);
    const { json } = await caller.get(`/accounts/${account}/entries`);
    expect(json.entries).toMatchObject([{ kind: 'deposit', amount: 700, balance: 700, operation: body.eventId }]);
  });

  it('R29 the vector ends as it should', async () => {
    const vector = ['a1 +10', 'a2 +5', 'a2 +5', 'b1 +7', 'a4 +1', 'a1 +10', 'a3 +2'];
    for (const message of vector) {
      const [, sender, seq, delta] = /^(\w)(\d) \+(\d+)$/.exec(message) ?? [];
      const body = { seq: Number(seq), delta: Number(delta) };
      expect((await caller.post(`/senders/${sender}/messages`, { body })).status).toBe(202);
    }
    const show = async (sender: string) => (await caller.get(`/senders/${sender}`)).json;
    await expect.poll(() => show('a'), SOON).toEqual({ appliedUpTo: 3, total: 17, expected: 4, gaps: [] });
    await expect.poll(() => show('b'), SOON).toEqual({ appliedUpTo: 1, total: 7, expected: 2, gaps: [] });
  });

  it('R32 a large transfer is told of, through the outbox, with its correlation id', async () => {
    const { from, to, eventId } = await tellOfTransfer({ 'x-correlation-id': 'corr-cloud' });
    const told = { amount: 150_000, from, to, correlationId: 'corr-cloud' };
    await expect.poll(() => stored(eventId), SOON).toMatchObject(told);
    // It is deleted after it was sent, so perhaps a moment after it was stored.
    await expect.poll(() => waiting(eventId), SOON).toBeUndefined();
  });

  it.each([
    ['before it sends', 'crash-before'],
    ['between sending and deleting', 'crash-after'],
  ])('R32 an event outlives a relay that dies %s, and is applied once', async (_, fault) => {
    expect(
      (await caller.post('/_local/faults', { body: { function: 'OutboxRelay', fault: `${fault}=1` } })).status,
    ).toBe(204);
    const before = await struck(fault);
    const { eventId } = await tellOfTransfer();
    await expect.poll(() => waiting(eventId), SOON).toBeUndefined();
    await expect.poll(() => stored(eventId), SOON).toMatchObject({ amount: 150_000 });
    expect(await struck(fault)).toBe(before + 1);
  });

  it('R33 the settlement runs by hand, once for a date', async () => {
    const input = encodeURIComponent(JSON.stringify({ date: '2020-02-29' }));
    const run = async () => JSON.parse((await caller.send('POST', `/_local/jobs/settle?input=${input}`)).json.payload);
    expect(await run()).toEqual({ job: 'settle:2020-02-29', ending: 'done' });
    expect(await run()).toEqual({ job: 'settle:2020-02-29', ending: 'already-done' });
  });

  it('R33 the settlement of a day that is not over is refused, in words', async () => {
    const { url } = inject('cloud');
    const { code, printed, explained } = await call('jobs', 'run', 'settle', '--date', '2999-12-31', '--url', url);
    expect({ code, printed }).toEqual({ code: 1, printed: '' });
    expect(explained).toBe(
      'The job failed: It is too early to work on 2999-12-31: in UTC, that day may be worked on from 3000-01-01T00:05:00Z.',
    );
  });
});
