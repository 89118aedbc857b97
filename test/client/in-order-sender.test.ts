import { describe, expect, it } from 'vitest';
import { createInOrderSender } from '../../lib/client/in-order-sender.ts';
import type { KeyStorage } from '../../lib/client/intent-keys.ts';
import { impatientClient } from './impatient-client.ts';
import { receiver } from './receiver.ts';
import { storage } from './storage.ts';

const senderTo = (url: string, kept: KeyStorage = storage()) =>
  createInOrderSender({
    url,
    storage: kept,
    fetch: impatientClient({ attempts: 3, circuit: { failures: 100, openFor: 1 } }),
  });

const seqs = (messages: readonly { readonly seq: number }[]) => messages.map(({ seq }) => seq);

describe('the in-order sender', () => {
  it('R41 numbers messages from 1, in the order in which they were given', async () => {
    const { url, applied } = await receiver();
    const sender = senderTo(url);
    expect(await Promise.all([10, 5, 7].map((delta) => sender.send({ delta })))).toEqual([1, 2, 3]);
    expect(applied).toEqual([
      { seq: 1, delta: 10 },
      { seq: 2, delta: 5 },
      { seq: 3, delta: 7 },
    ]);
    expect(await sender.resume()).toBe(0);
  });

  it('R41 goes on after the receiver’s mark when it starts anew', async () => {
    const { url, applied } = await receiver();
    await senderTo(url).send({ delta: 1 });
    expect(await senderTo(url).send({ delta: 2 })).toBe(2);
    expect(seqs(applied)).toEqual([1, 2]);
  });

  it('R41 sends again in order what got lost on the way', async () => {
    const { url, applied, arrived } = await receiver(({ seq }, nth) => (seq === 2 && nth === 1 ? 'lose' : 'apply'));
    const sender = senderTo(url);
    for (const delta of [1, 2, 3, 4]) await sender.send({ delta });
    expect(seqs(applied)).toEqual([1]);
    // The first look sees the mark move, so what is missing may still be under way; the second sees it stand still.
    expect(await sender.resume()).toBe(3);
    expect(await sender.resume()).toBe(3);
    expect(await sender.resume()).toBe(0);
    expect(seqs(applied)).toEqual([1, 2, 3, 4]);
    expect(seqs(arrived)).toEqual([1, 2, 3, 4, 2, 3, 4]);
  });

  it('R41 applies once what was applied without an answer', async () => {
    const { url, applied, arrived } = await receiver((_, nth) => (nth === 1 ? 'lose the answer' : 'apply'));
    const sender = senderTo(url);
    await sender.send({ delta: 1 });
    await sender.send({ delta: 2 });
    expect(seqs(arrived)).toEqual([1, 1, 2, 2]);
    expect(seqs(applied)).toEqual([1, 2]);
  });

  it('R41 keeps messages over a restart, with their numbers', async () => {
    let up = false;
    const { url, applied } = await receiver(() => (up ? 'apply' : 'unreachable'));
    const kept = storage();
    const before = senderTo(url, kept);
    await expect(before.send({ delta: 1 })).rejects.toMatchObject({ problem: 'attempts', outcome: 'unknown' });
    await expect(before.send({ delta: 2 })).rejects.toMatchObject({ problem: 'attempts' });
    up = true;
    expect(await senderTo(url, kept).resume()).toBe(2);
    expect(applied).toEqual([
      { seq: 1, delta: 1 },
      { seq: 2, delta: 2 },
    ]);
  });

  it('R41 asks the receiver before it numbers anything, even when it has to wait for it', async () => {
    const { url, applied } = await receiver();
    await senderTo(url).send({ delta: 1 });
    const kept = storage();
    const offline = createInOrderSender({ url, storage: kept, fetch: () => Promise.reject(new TypeError('offline')) });
    await expect(offline.send({ delta: 2 })).rejects.toThrow('offline');
    expect(await senderTo(url, kept).send({ delta: 3 })).toBe(3);
    expect(applied.map(({ delta }) => delta)).toEqual([1, 2, 3]);
  });

  it('R41 sends only what is still missing after a restart', async () => {
    const { url, arrived } = await receiver();
    const kept = storage();
    const before = senderTo(url, kept);
    for (const delta of [1, 2, 3]) await before.send({ delta });
    expect(await senderTo(url, kept).resume()).toBe(0);
    expect(seqs(arrived)).toEqual([1, 2, 3]);
  });

  it('R41 drops a message that is refused for good, and gives its number to the next', async () => {
    const { url, applied } = await receiver(({ delta }) => (delta === 0 ? 'refuse' : 'apply'));
    const sender = senderTo(url);
    await sender.send({ delta: 1 });
    const refused = sender.send({ delta: 0 });
    const next = sender.send({ delta: 2 });
    await expect(refused).rejects.toMatchObject({ problem: 'not-retryable', response: { status: 400 } });
    expect(await next).toBe(2);
    expect(applied.map(({ seq, delta }) => [seq, delta])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('R41 keeps a message that is refused because of who sends it', async () => {
    let allowed = false;
    const { url, applied } = await receiver(() => (allowed ? 'apply' : 'deny'));
    const sender = senderTo(url);
    await expect(sender.send({ delta: 1 })).rejects.toMatchObject({ response: { status: 401 } });
    allowed = true;
    await sender.send({ delta: 2 });
    expect(applied.map(({ delta }) => delta)).toEqual([1, 2]);
  });

  it('R41 says so when the receiver has forgotten what nobody else keeps', async () => {
    const { url, applied } = await receiver();
    const sender = senderTo(url);
    await sender.send({ delta: 1 });
    await sender.resume();
    applied.length = 0;
    await expect(sender.resume()).rejects.toThrow(RangeError);
  });

  it('R41 sends what it is given after its storage was emptied under it', async () => {
    const { url, applied } = await receiver();
    const kept = storage();
    const sender = senderTo(url, kept);
    await sender.send({ delta: 10 });
    await sender.send({ delta: 5 });
    kept.items.clear();
    expect(await sender.send({ delta: 7 })).toBe(3);
    expect(applied.at(-1)).toEqual({ seq: 3, delta: 7 });
    expect(await sender.send({ delta: 1 })).toBe(4);
    kept.items.clear();
    expect(await sender.resume()).toBe(0);
    expect(await sender.send({ delta: 2 })).toBe(5);
    expect(seqs(applied)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ['at once', false],
    ['after a while without a connection', true],
  ])('R41 sends a new message although its storage was put back to an earlier state: %s', async (_, offline) => {
    const { url, applied } = await receiver();
    const kept = storage();
    let connected = true;
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      if (!connected) throw new TypeError('offline');
      return globalThis.fetch(input, init);
    };
    const before = senderTo(url, kept);
    await before.send({ delta: 1 });
    await before.resume();
    const earlier = new Map(kept.items);
    await before.send({ delta: 2 });
    await before.send({ delta: 3 });
    for (const [name, value] of earlier) kept.items.set(name, value);
    const after = createInOrderSender({ url, storage: kept, fetch });
    connected = !offline;
    const sending = [after.send({ delta: 4 }), after.send({ delta: 5 })];
    if (offline) await expect(Promise.all(sending)).rejects.toMatchObject({ outcome: 'unknown' });
    else expect(await Promise.all(sending)).toEqual([4, 5]);
    await Promise.allSettled(sending);
    connected = true;
    await after.resume();
    expect(applied.map(({ delta }) => delta)).toEqual([1, 2, 3, 4, 5]);
  });

  it('R41 sends what it is given after its storage was put back under it', async () => {
    const { url, applied } = await receiver();
    const kept = storage();
    const sender = senderTo(url, kept);
    await sender.send({ delta: 1 });
    await sender.resume();
    const earlier = new Map(kept.items);
    await sender.send({ delta: 2 });
    await sender.send({ delta: 3 });
    await sender.resume();
    for (const [name, value] of earlier) kept.items.set(name, value);
    expect(await sender.send({ delta: 4 })).toBe(4);
    expect(applied.map(({ delta }) => delta)).toEqual([1, 2, 3, 4]);
  });

  it('R41 sends everything at once when two tabs take turns at one storage', async () => {
    const { url, applied } = await receiver();
    const kept = storage();
    const [one, other] = [senderTo(url, kept), senderTo(url, kept)];
    for (const [delta, tab] of [one, one, other, one].entries()) await tab.send({ delta });
    expect(applied.map(({ delta }) => delta)).toEqual([0, 1, 2, 3]);
  });

  it('R41 rejects what is no JSON, and sends the next', async () => {
    const { url, applied } = await receiver();
    const sender = senderTo(url);
    await expect(sender.send({ delta: 10n })).rejects.toThrow(TypeError);
    await sender.send({ delta: 1 });
    expect(applied).toEqual([{ seq: 1, delta: 1 }]);
  });

  it('R41 gives each sending a key of its own, so that it arrives again', async () => {
    const keys: (string | null)[] = [];
    const kept = storage();
    const sender = createInOrderSender({
      url: 'http://localhost/senders/till-7',
      storage: kept,
      fetch: async (_, init) => {
        if (init === undefined) return Response.json({ appliedUpTo: 0 });
        keys.push(new Headers(init.headers).get('idempotency-key'));
        return new Response(null, { status: 202 });
      },
    });
    await sender.send({ delta: 1 });
    await sender.resume();
    expect(keys.length).toBe(2);
    expect(new Set(keys).size).toBe(2);
  });
});
