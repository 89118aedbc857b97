import { describe, expect, it } from 'vitest';
import { DeliveryError } from '../../lib/client/delivery-error.ts';
import { createInOrderSender } from '../../lib/client/in-order-sender.ts';
import { type Fate, type Numbered, receiver } from './receiver.ts';
import { storage } from './storage.ts';

const accepted = () => new Response(null, { status: 202 });
const url = 'http://localhost/senders/till-7';

/** A receiver that takes in what `answer` lets it, and applies it when its queue is emptied. */
function queuedReceiver(answer: (message: Numbered) => Response | undefined = () => undefined) {
  const applied: number[] = [];
  const queue: Numbered[] = [];
  const fetch = async (_: RequestInfo | URL, init?: RequestInit) => {
    if (init === undefined) return Response.json({ appliedUpTo: applied.length });
    const message: Numbered = JSON.parse(String(init.body));
    const other = answer(message);
    if (!other) queue.push(message);
    return other ?? accepted();
  };
  const empty = () => {
    for (const { seq, delta } of queue.splice(0)) if (seq === applied.length + 1) applied.push(delta);
  };
  return { sender: createInOrderSender({ url, storage: storage(), fetch }), applied, empty };
}

describe('a message that is refused for good', () => {
  it('R41 is named when it is an earlier one, and the one just given is kept', async () => {
    let fate: Fate = 'unreachable';
    const till = await receiver(({ delta }) => (delta === 0 ? 'refuse' : 'apply'));
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      if (init && fate === 'unreachable') throw new TypeError('offline');
      return globalThis.fetch(input, init);
    };
    const sender = createInOrderSender({ url: till.url, storage: storage(), fetch });
    await expect(sender.send({ delta: 0 })).rejects.toThrow('offline');
    fate = 'apply';
    const error = await sender.send({ delta: 7 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ outcome: 'unknown', dropped: { delta: 0 }, response: { status: 400 } });
    expect(await sender.send({ delta: 8 })).toBe(2);
    expect(till.applied).toEqual([
      { seq: 1, delta: 7 },
      { seq: 2, delta: 8 },
    ]);
  });

  it.each([400, 413, 422])('R41 had no effect, when it is the one just given: %i', async (status) => {
    const { sender, applied, empty } = queuedReceiver(({ delta }) =>
      delta === 0 ? new Response('', { status }) : undefined,
    );
    await expect(sender.send({ delta: 0 })).rejects.toMatchObject({ outcome: 'none', dropped: { delta: 0 } });
    expect(await sender.send({ delta: 1 })).toBe(1);
    empty();
    expect(applied).toEqual([1]);
  });

  it('R41 keeps its number when it was taken in before, since it may still be applied', async () => {
    let refusing = false;
    const { sender, applied, empty } = queuedReceiver(({ delta }) =>
      refusing && delta === 1 ? new Response('', { status: 400 }) : undefined,
    );
    for (const delta of [1, 2, 3]) await sender.send({ delta });
    await sender.resume();
    refusing = true;
    await expect(sender.resume()).rejects.toMatchObject({ outcome: 'unknown', dropped: undefined });
    refusing = false;
    expect(await sender.send({ delta: 4 })).toBe(4);
    empty();
    expect(await sender.resume()).toBe(0);
    expect(applied).toEqual([1, 2, 3, 4]);
  });
});

describe('a message whose answer settles nothing', () => {
  it.each([401, 404, 409, 500, 504])('R41 may have been applied, says a %i', async (status) => {
    const { sender } = queuedReceiver(() => new Response('', { status }));
    await expect(sender.send({ delta: 1 })).rejects.toMatchObject({ outcome: 'unknown', dropped: undefined });
  });
});

describe('a message that could not be sent', () => {
  it.each(['attempts', 'circuit-open'] as const)('R41 is kept, and so may still be applied: %s', async (problem) => {
    const applied: number[] = [];
    let failing = true;
    const fetch = async (_: RequestInfo | URL, init?: RequestInit) => {
      if (failing) throw new DeliveryError(problem, 'none', undefined);
      if (init === undefined) return Response.json({ appliedUpTo: applied.length });
      applied.push(JSON.parse(String(init.body)).delta);
      return accepted();
    };
    const sender = createInOrderSender({ url, storage: storage(), fetch });
    await expect(sender.send({ delta: 1 })).rejects.toMatchObject({ problem, outcome: 'unknown' });
    failing = false;
    await sender.send({ delta: 2 });
    expect(applied).toEqual([1, 2]);
  });

  it('R41 is not sent either when it could not be kept, and the storage’s error says why', async () => {
    const { sender, applied, empty } = queuedReceiver();
    const full = { ...storage(), setItem: () => Promise.reject(new Error('quota exceeded')) };
    const fetch = () => expect.unreachable('sent');
    const failing = createInOrderSender({ url, storage: full, fetch });
    const error = await failing.send({ delta: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error('quota exceeded'));
    expect(error).not.toHaveProperty('outcome');
    await sender.send({ delta: 2 });
    empty();
    expect(applied).toEqual([2]);
  });
});

describe('what is sent', () => {
  it('R41 was kept before, however slow the storage', async () => {
    const kept = storage(30);
    const seen: unknown[] = [];
    const fetch = async (_: RequestInfo | URL, init?: RequestInit) => {
      if (init === undefined) return Response.json({ appliedUpTo: 0 });
      seen.push(JSON.parse(kept.items.get(`semel:sender:${url}`) ?? ''));
      return accepted();
    };
    const sender = createInOrderSender({ url, storage: kept, fetch });
    // Before the first one the receiver is asked, and what is kept is kept again.
    await sender.send({ delta: 1 });
    await sender.send({ delta: 2 });
    const by = expect.any(String);
    expect(seen).toEqual([
      { by, first: 1, messages: [{ delta: 1 }] },
      { by, first: 1, messages: [{ delta: 1 }, { delta: 2 }] },
    ]);
  });

  it('C2 R41 is the message as it was given, whatever becomes of it later', async () => {
    const { sender, applied, empty } = queuedReceiver();
    const message = { delta: 10 };
    const sending = sender.send(message);
    message.delta = 5;
    await Promise.all([sending, sender.send(message)]);
    empty();
    expect(applied).toEqual([10, 5]);
  });

  it('C2 R41 is spelled the same each time, also by a toJSON', async () => {
    const bodies: unknown[] = [];
    const fetch = async (_: RequestInfo | URL, init?: RequestInit) => {
      if (init === undefined) return Response.json({ appliedUpTo: 0 });
      bodies.push(JSON.parse(String(init.body)));
      return accepted();
    };
    const sender = createInOrderSender({ url, storage: storage(), fetch });
    await sender.send({ delta: 10, toJSON: () => ({ amount: 10 }) });
    await sender.resume();
    expect(bodies).toEqual(Array(2).fill({ amount: 10, seq: 1 }));
  });
});

describe('a mark', () => {
  it.each(['{}', '{"appliedUpTo":"1"}', '{"appliedUpTo":1.5}', '{"appliedUpTo":null}', '{"appliedUpTo":-5}'])(
    'R41 that is none changes nothing: %s',
    async (odd) => {
      const arrived: Numbered[] = [];
      let mark = odd;
      const fetch = async (_: RequestInfo | URL, init?: RequestInit) => {
        if (init === undefined) return new Response(mark);
        arrived.push(JSON.parse(String(init.body)));
        return accepted();
      };
      const sender = createInOrderSender({ url, storage: storage(), fetch });
      await expect(sender.send({ delta: 1 })).rejects.toThrow(RangeError);
      expect(arrived).toEqual([]);
      mark = '{"appliedUpTo":0}';
      expect(await sender.send({ delta: 2 })).toBe(2);
      mark = odd;
      await expect(sender.resume()).rejects.toThrow(RangeError);
      mark = '{"appliedUpTo":1}';
      expect(await sender.resume()).toBe(1);
      expect(arrived).toEqual([
        { seq: 1, delta: 1 },
        { seq: 2, delta: 2 },
      ]);
    },
  );
});
