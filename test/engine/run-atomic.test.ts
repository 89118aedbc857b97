import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { days } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { newPurse, records } from '../setup/purse.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const DAY = 24 * 3_600_000;
const namesOf = (calls: readonly { readonly name: string }[]) => calls.map(({ name }) => name);

describe('a first request', () => {
  it('R8 is one transaction, conditional on no record and on nothing else', async () => {
    const purse = await newPurse(store);
    expect(await purse.pay({ key: 'k' })).toMatchObject({ status: 201, replayed: false });
    expect(namesOf(purse.store.calls)).toEqual(['TransactWriteCommand']);
    const [record] = purse.store.calls[0]?.input.TransactItems ?? [];
    expect(record.Put).toMatchObject({ TableName: store.table, ConditionExpression: 'attribute_not_exists(pk)' });
    expect(record.Put).not.toHaveProperty('ExpressionAttributeValues');
  });

  it('R3 leaves no trace of the raw key', async () => {
    const purse = await newPurse(store);
    const key = `secret-${randomUUID()}`;
    await purse.pay({ key });
    expect(JSON.stringify(await records(store))).not.toContain(key);
  });

  it('R3 has another place under a key secret', async () => {
    const key = randomUUID();
    const [plain, keyed] = [await newPurse(store), await newPurse(store, { keySecret: 'pepper' })];
    const [first, second] = [await plain.pay({ key }), await keyed.pay({ key })];
    expect([first.status, second.status, second.replayed]).toEqual([201, 201, false]);
  });

  it('R23 is kept for its retention, counted from completion', async () => {
    const purse = await newPurse(store, { retention: days(30) });
    const { operation } = await purse.pay();
    expect(await purse.record(operation)).toMatchObject({
      status: 'completed',
      expiresAt: purse.clock.now() / 1_000 + 30 * 86_400,
    });
  });
});

describe('a second request', () => {
  it('R9 learns everything from the one write that it loses', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const first = await purse.pay({ key });
    const second = await purse.pay({ key });
    expect(second).toMatchObject({ status: 201, replayed: true, text: first.text, operation: first.operation });
    expect(namesOf(purse.store.calls)).toEqual(['TransactWriteCommand', 'TransactWriteCommand']);
    expect(purse.counted).toEqual(['new', 'replayed']);
  });

  it('C24 gets no cookie and no CORS header, and neither did the first', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    for (const reply of [await purse.pay({ key }), await purse.pay({ key })]) {
      expect(Object.keys(reply.headers)).not.toContain('set-cookie');
      expect(Object.keys(reply.headers)).not.toContain('access-control-allow-origin');
      expect(reply.headers).toMatchObject({ location: expect.stringMatching(/^\/receipts\//) });
    }
  });

  it('C7 replays after a cold start', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const first = await purse.pay({ key });
    purse.restart();
    expect(await purse.pay({ key })).toMatchObject({ replayed: true, text: first.text });
  });

  it('C8 with another amount is 422, and once more on the same warm instance', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    await purse.pay({ key, body: { amount: 1 } });
    for (const _ of [1, 2]) {
      expect(await purse.pay({ key, body: { amount: 2 } })).toMatchObject({
        status: 422,
        code: 'idempotency-key-reused',
      });
    }
    expect(await purse.balance()).toBe(99);
  });

  it('C2 replays although the first run changed its input', async () => {
    const purse = await newPurse(store, {
      run: (context, pay) => {
        (context.body as { amount: number }).amount = 1;
        return pay(context);
      },
    });
    const key = randomUUID();
    const first = await purse.pay({ key, body: { amount: 50 } });
    expect(await purse.pay({ key, body: { amount: 50 } })).toMatchObject({ replayed: true, text: first.text });
    expect(await purse.pay({ key, body: { amount: 1 } })).toMatchObject({ code: 'idempotency-key-reused' });
  });

  it('C39 gets the stored reply although what it created is gone', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const first = await purse.pay({ key, body: { amount: 1 } });
    const [receipt] = await purse.receipts();
    const Key = { pk: receipt?.pk, sk: receipt?.sk };
    await store.client.send(new DeleteCommand({ TableName: store.dataTable, Key }));
    expect(await purse.pay({ key, body: { amount: 1 } })).toMatchObject({ status: 201, text: first.text });
    expect(await purse.receipts()).toEqual([]);
  });

  it('R4 asks whether the caller may still see the reply, and 403 leaves it stored', async () => {
    let allowed = true;
    const asked: unknown[] = [];
    const purse = await newPurse(store, {
      authorize: (caller, resource) => asked.push([caller, resource]) > 0 && allowed,
    });
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(asked).toEqual([]);
    allowed = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 403, code: 'forbidden' });
    allowed = true;
    expect(await purse.pay({ key })).toMatchObject({ replayed: true, text: first.text });
    expect(asked).toEqual(Array(2).fill(['alice', JSON.parse(first.text).id]));
  });
});

describe('a hinted request', () => {
  const hinted = { 'Idempotency-Attempt': '2' };

  it('R24 replays by a read alone', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(await purse.pay({ key, headers: hinted })).toMatchObject({ replayed: true, text: first.text });
    expect(namesOf(purse.store.calls)).toEqual(['TransactWriteCommand', 'GetCommand']);
    expect(purse.store.calls[1]?.input.ConsistentRead).toBe(true);
  });

  it('R24 runs all the same when nothing is there, or the hint is nonsense', async () => {
    const purse = await newPurse(store);
    for (const hint of ['2', '0', '-1', 'NaN', '2, 3', '9'.repeat(400)]) {
      const body = { amount: 1 };
      expect(await purse.pay({ body, headers: { 'Idempotency-Attempt': hint } })).toMatchObject({ status: 201 });
    }
    expect(await purse.balance()).toBe(94);
  });
});

describe('an expired record', () => {
  it('C38 is treated as none before TTL deletes it, for another payload too', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const first = await purse.pay({ key, body: { amount: 1 } });
    purse.clock.advance(DAY - 1);
    expect(await purse.pay({ key, body: { amount: 1 } })).toMatchObject({ replayed: true });
    purse.clock.advance(1);
    const second = await purse.pay({ key, body: { amount: 2 } });
    expect(second).toMatchObject({ status: 201, replayed: false });
    expect(second.operation).not.toBe(first.operation);
    expect(await purse.balance()).toBe(97);
    expect(purse.counted).toEqual(['new', 'replayed', 'new', 'expired']);
  });

  it('R8 is replaced conditional on its owner, so that of two one wins and the other replays', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const request = { key, body: { amount: 1 } };
    const { operation } = await purse.pay(request);
    const old = await purse.record(operation);
    purse.clock.advance(DAY);
    const replies = await Promise.all([purse.pay(request), purse.pay(request)]);
    expect(replies.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(await purse.balance()).toBe(98);
    const second = purse.store.calls.find(({ input }) => input.TransactItems[0].Put.ExpressionAttributeValues);
    expect(second?.input.TransactItems[0].Put).toMatchObject({
      ConditionExpression: 'ownerToken = :owner',
      ExpressionAttributeValues: { ':owner': old.ownerToken },
    });
  });
});

describe('a key that another attempt holds', () => {
  it('C1 stays held however often it is refused', async () => {
    const purse = await newPurse(store);
    const key = randomUUID();
    const { operation } = await purse.pay({ key });
    const { pk } = await purse.record(operation);
    const leaseUntil = purse.clock.now() + 3_000;
    const held = { ':held': 'in_progress', ':a': 'token-of-a', ':lease': leaseUntil };
    await purse.rewrite(pk, 'SET #status = :held, ownerToken = :a, leaseUntil = :lease REMOVE expiresAt', held);
    const before = await purse.record(operation);
    for (const _ of ['b', 'c']) {
      const refused = await purse.pay({ key });
      expect(refused).toMatchObject({ status: 409, code: 'request-in-flight', operation });
      expect(refused.headers['retry-after']).toBe('3');
    }
    expect(await purse.pay({ key, body: { amount: 1 } })).toMatchObject({ code: 'idempotency-key-reused' });
    expect(await purse.record(operation)).toEqual(before);
  });
});
