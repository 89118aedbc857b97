import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callsOf, newCaller } from '../setup/http-caller.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('identical transfers', () => {
  it.each([2, 10, 100])('C37 %i at once are one transfer and one answer', { timeout: 60_000 }, async (count) => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    const request = { key: randomUUID(), body: { from, to, amount: 500 } };
    const replies = await Promise.all(times(count, () => caller.post('/transfers', request)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await caller.entriesOf(from)).map(({ kind }) => kind)).toEqual(['transfer', 'opening']);
    const [operation, ...others] = new Set(replies.map(({ headers }) => headers.get('operation-id') ?? ''));
    expect(others).toEqual([]);
    const applied = (await callsOf(operation ?? '')).filter(({ writeUnits, status }) => writeUnits && status === 200);
    expect(applied).toHaveLength(1);
  });

  it('C37 two that start 5 ms apart are one transfer', async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    const request = { key: randomUUID(), body: { from, to, amount: 500 } };
    const [first, second] = await Promise.all([
      caller.post('/transfers', request),
      new Promise((done) => setTimeout(done, 5)).then(() => caller.post('/transfers', request)),
    ]);
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(await caller.balanceOf(from)).toBe(0);
  });
});

describe('different transfers', () => {
  it('R22 from one account at once each happen once, until the money is gone', { timeout: 60_000 }, async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(10);
    const to = await caller.openAccount();
    const requests = times(15, () => ({ key: randomUUID(), body: { from, to, amount: 1 } }));
    const send = () => Promise.all(requests.map((request) => caller.post('/transfers', request)));
    const replies = await send();
    expect(replies.map(({ status }) => status).sort()).toEqual([...times(10, () => 201), ...times(5, () => 402)]);
    const again = await send();
    expect(again.map(({ status, text }) => [status, text])).toEqual(replies.map(({ status, text }) => [status, text]));
    expect(await Promise.all([from, to].map(caller.balanceOf))).toEqual([0, 10]);
  });

  it('C11 under one key at once are one transfer and one 422', async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    const key = randomUUID();
    const replies = await Promise.all(
      [1, 2].map((amount) => caller.post('/transfers', { key, body: { from, to, amount } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect((await caller.entriesOf(to)).map(({ kind }) => kind)).toEqual(['transfer']);
  });
});
