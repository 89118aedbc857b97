import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callsOf, type HttpCaller, type HttpReply, newCaller } from '../setup/http-caller.ts';

const numbered = (kind: string, upTo: number) => Array.from({ length: upTo }, (_, index) => `${kind}=${index + 1}`);

/** Call 1 is authentication's read, call 2 the transaction, call 3 what only a retry inside the request makes. */
const FAULTS = [
  'drop-response',
  ...numbered('crash-before', 3),
  ...numbered('crash-after', 3),
  ...numbered('lose-response', 2),
  ...numbered('throttle', 2),
  ...numbered('conflict', 2),
  'lose-response=2, lose-response=3, lose-response=4',
  'lose-response=2, crash-after=3',
  'conflict=2, conflict=3, conflict=4, lose-response=5',
  'throttle=2, throttle=3, crash-before=4',
];

type Request = { readonly key: string; readonly body: unknown };

/** Sends once with the fault, then as a client would: again until there is a final answer. */
async function sendUntilFinal(caller: HttpCaller, path: string, request: Request, fault: string) {
  const first = await caller.post(path, { ...request, fault }).catch((): undefined => undefined);
  const replies: HttpReply[] = first === undefined ? [] : [first];
  while (replies.length < 6 && (replies.at(-1)?.status ?? 500) >= 500) replies.push(await caller.post(path, request));
  return replies;
}

/** All final answers, and one more replay, are the first one to the byte. */
async function expectOneAnswer(caller: HttpCaller, path: string, request: Request, replies: readonly HttpReply[]) {
  const [final, ...others] = replies.filter(({ status }) => status < 500);
  expect(replies.map(({ status }) => status).filter((status) => ![201, 502, 503].includes(status))).toEqual([]);
  expect(final?.status).toBe(201);
  const replay = await caller.post(path, request);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  for (const { text, headers } of [...others, replay]) {
    expect(text).toBe(final?.text);
    expect(headers.get('operation-id')).toBe(final?.headers.get('operation-id'));
  }
}

describe.concurrent('a transfer', { timeout: 60_000 }, () => {
  it.each(FAULTS)('R10 happens once and is answered once through %s and a retry', async (fault) => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    // The whole balance: a second run would be told "insufficient funds" (C46).
    const request = { key: randomUUID(), body: { from, to, amount: 500 } };
    await expectOneAnswer(caller, '/transfers', request, await sendUntilFinal(caller, '/transfers', request, fault));
    expect((await caller.entriesOf(from)).map(({ kind }) => kind)).toEqual(['transfer', 'opening']);
    expect(await Promise.all([from, to].map(caller.balanceOf))).toEqual([0, 500]);
  });
});

describe.concurrent('an account', { timeout: 60_000 }, () => {
  it.each(FAULTS)('R10 is opened once through %s and a retry', async (fault) => {
    const caller = await newCaller();
    const request = { key: randomUUID(), body: { currency: 'EUR', openingBalance: 9 } };
    await expectOneAnswer(caller, '/accounts', request, await sendUntilFinal(caller, '/accounts', request, fault));
    const { accounts, entries } = await caller.ledger();
    expect([accounts.length, entries.length]).toEqual([1, 1]);
  });
});

describe('a fault', () => {
  it('C14 that loses the response of an applied transaction is not seen by the client', async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    const request = { key: randomUUID(), body: { from, to, amount: 500 } };
    const reply = await caller.post('/transfers', { ...request, fault: 'lose-response=2' });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('idempotent-replayed')).toBeNull();
    const calls = await callsOf(reply.headers.get('operation-id') ?? '');
    expect(calls.map(({ fault }) => fault)).toEqual([null, 'lose-response', null]);
  });

  it('C46 that hides a transfer which emptied the account still ends in its 201', async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(500);
    const to = await caller.openAccount();
    const request = { key: randomUUID(), body: { from, to, amount: 500 } };
    await expect(caller.post('/transfers', { ...request, fault: 'drop-response' })).rejects.toThrow('fetch failed');
    const again = await caller.post('/transfers', request);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('C52 that loses forty responses in a row on a warm client leaves every transfer right', async () => {
    const caller = await newCaller();
    const from = await caller.openAccount(40);
    const to = await caller.openAccount();
    for (let transfer = 1; transfer <= 40; transfer++) {
      const request = { key: randomUUID(), body: { from, to, amount: 1 } };
      const reply = await caller.post('/transfers', { ...request, fault: 'lose-response=2' });
      expect(reply.status).toBe(201);
    }
    expect(await Promise.all([from, to].map(caller.balanceOf))).toEqual([0, 40]);
  });
});
