import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { failedIds } from '../setup/queue-event.ts';
import { setClock } from '../setup/set-clock.ts';
import { AddingConsumer, attached, type Body, message, type Run } from './adding-consumer.ts';

let store: Store;
let on: AddingConsumer;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  on = new AddingConsumer(store);
});

describe('marker and effects', () => {
  it('R25 are written together, once', async () => {
    const now = milliseconds(1_900_000_000_500);
    const engine = createEngine({ store, count: on.count, surroundings: { ...SYSTEM, now: () => now } });
    expect(failedIds(await on.deliver([message('m1')], { engine }))).toEqual([]);
    expect(failedIds(await on.deliver([message('m1')], { engine }))).toEqual([]);
    expect(await on.total('n')).toBe(1);
    expect(on.counted).toEqual(['new', 'duplicate-message']);
    const [marker, ...others] = await on.markers();
    expect(others).toEqual([]);
    expect(marker).toMatchObject({
      schemaVersion: 1,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      expiresAt: 1_900_000_001 + 42 * 86_400,
    });
  });

  it('R25 cost one request', async () => {
    const send = vi.spyOn(store.client, 'send');
    await on.deliver([message('m1')]);
    expect(await on.total('n')).toBe(1);
    // One for the message, and one for the look at its total.
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('R25 are kept as long as the queue asks', async () => {
    vi.stubEnv('MARKER_RETENTION_SECONDS', '1000');
    await on.deliver([message('m1')]);
    expect((await on.markers())[0]?.expiresAt).toBeLessThan(Date.now() / 1_000 + 1_002);
  });

  it('R25 compare the body by its value', async () => {
    await on.deliver([message('m1', {}, { body: '{"name":"n","add":1}' })]);
    await on.deliver([message('m1', {}, { body: '{ "add": 1, "name": "n" }' })]);
    expect(on.queue.rejected).toEqual([]);
    expect(await on.total('n')).toBe(1);
  });

  it('C48 R25 another body under the same event id is dead-lettered, not swallowed', async () => {
    await on.deliver([message('m1', { add: 1 }, { attributes: attached('e1') })]);
    expect(failedIds(await on.deliver([message('m2', { add: 5 }, { attributes: attached('e1') })]))).toEqual([]);
    expect(on.queue.rejected).toMatchObject([{ messageId: 'm2', eventId: 'e1', reason: 'event-id-reused' }]);
    expect(await on.total('n')).toBe(1);
  });
});

describe('what makes two deliveries the same', () => {
  it('R26 is the attached event id within its source', async () => {
    await on.deliver([message('m1', {}, { attributes: attached('e1') })]);
    await on.deliver([message('m2', {}, { attributes: attached('e1') })]);
    expect(await on.total('n')).toBe(1);
    await on.deliver([message('m3', {}, { attributes: attached('e1', 'bob') })]);
    expect(await on.total('n')).toBe(2);
  });

  it('R26 differs from consumer to consumer', async () => {
    const other = `${on.consumer}-2`;
    await on.deliver([message('m1', {}, { attributes: attached('e1') })]);
    await on.deliver([message('m1', {}, { attributes: attached('e1') })], { consumer: other });
    expect(await on.total('n')).toBe(2);
  });

  it('R26 is the message id where there is nothing else', async () => {
    await on.deliver([message('m1'), message('m2')]);
    await on.deliver([message('m2')]);
    expect(await on.total('n')).toBe(2);
  });

  it('C29 is what an id function reads, whatever the message ids', async () => {
    const options = { eventId: ({ name }: Body) => name };
    await on.deliver([message('m1', { name: 'order-7' })], options);
    await on.deliver([message('m2', { name: 'order-7' })], options);
    expect(await on.total('order-7')).toBe(1);
  });
});

describe('a batch', () => {
  it('C25 R27 whose every message fails reports each id and nothing else', async () => {
    const answer = await on.deliver([message('m1'), message('m2'), message('m3')], {
      run: ({ event }) => {
        throw event.id === 'm2' ? undefined : new Error(`no ${event.id}`);
      },
    });
    expect(failedIds(answer)).toEqual(['m1', 'm2', 'm3']);
    expect(on.queue.rejected).toEqual([]);
    expect(await on.markers()).toEqual([]);
  });

  it('R27 reports only what failed', async () => {
    const run: Run = ({ body }) => {
      if (body.name === 'bad') throw new Error('no');
      return on.add(body);
    };
    const answer = await on.deliver([message('m1'), message('m2', { name: 'bad' }), message('m3')], { run });
    expect(failedIds(answer)).toEqual(['m2']);
    expect(await on.total('n')).toBe(2);
  });

  it('C26 R27 with the same message twice has one effect and no failure', async () => {
    expect(failedIds(await on.deliver([message('m1'), message('m1'), message('m1')]))).toEqual([]);
    expect(await on.total('n')).toBe(1);
  });

  it('R27 of a standard queue is handled side by side, so many at a time', async () => {
    let running = 0;
    let most = 0;
    const run: Run = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { effects: [] };
    };
    await on.deliver(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => message(id)),
      { run, concurrency: 3 },
    );
    expect(most).toBe(3);
  });

  it('C28 R27 of a FIFO queue goes in order, and stops a group at its first failure only', async () => {
    const seen: string[] = [];
    const run: Run = ({ body, event }) => {
      seen.push(event.id);
      if (event.id === 'm2') throw new Error('no');
      return on.add(body);
    };
    const answer = await on.deliver(
      [
        message('m1', {}, { group: 'm' }),
        message('m2', {}, { group: 'm' }),
        message('n1', { name: 'n1' }, { group: 'n' }),
        message('m3', {}, { group: 'm' }),
        message('n2', { name: 'n2' }, { group: 'n' }),
      ],
      { run },
    );
    expect(failedIds(answer)).toEqual(['m2', 'm3']);
    expect(seen.filter((id) => id.startsWith('m'))).toEqual(['m1', 'm2']);
    expect(seen.filter((id) => id.startsWith('n'))).toEqual(['n1', 'n2']);
    expect([await on.total('n'), await on.total('n1'), await on.total('n2')]).toEqual([1, 1, 1]);
  });

  it('R27 whose time is up leaves the rest untouched', async () => {
    const run = vi.fn<Run>(() => ({ effects: [] }));
    const answer = await on.deliver([message('m1'), message('m2')], { run, remaining: 100 });
    expect(failedIds(answer)).toEqual(['m1', 'm2']);
    expect(run).not.toHaveBeenCalled();
  });
});

it('C16 R27 a batch that is about to lose its function is not answered behind the back of its handler', async () => {
  // The engine's clock stands still, so only who watches the function's own time could answer early.
  const engine = createEngine({ store, surroundings: setClock() });
  const run: Run = async ({ body }) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    return on.add(body);
  };
  expect(failedIds(await on.deliver([message('m1')], { engine, run, remaining: 510 }))).toEqual([]);
  expect(await on.total('n')).toBe(1);
});

it('C2 a handler that runs a second time sees what arrived, not what its first run made of it', async () => {
  const seen: number[] = [];
  const taken = { ConditionCheck: { Key: { pk: 'x', sk: 'x' }, ConditionExpression: 'attribute_exists(pk)' } };
  const run: Run = ({ body, event }) => {
    seen.push(body.add);
    body.add = 99;
    return { effects: event.round === 1 ? [taken] : [] };
  };
  expect(failedIds(await on.deliver([message('m1', { add: 2 })], { run }))).toEqual([]);
  expect(seen).toEqual([2, 2]);
});
