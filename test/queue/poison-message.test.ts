import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { refuse } from '../../lib/protocol/plan.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { meddledStore, missPlainly, passOn } from '../setup/meddled-store.ts';
import { failedIds } from '../setup/queue-event.ts';
import { AddingConsumer, attached, message, type Run } from './adding-consumer.ts';

let store: Store;
let on: AddingConsumer;

beforeAll(async () => {
  store = await freshStore();
});
beforeEach(() => {
  on = new AddingConsumer(store);
});

describe('a poison message', () => {
  it.each([
    ['no JSON', '{'],
    ['a body that fails the schema', { name: 7, add: 1 }],
    ['a body that two parsers read differently', '{"name":"n","add":1,"add":2}'],
  ])('R30 with %s is dead-lettered and acknowledged', async (_, body) => {
    expect(failedIds(await on.deliver([message('m1', {}, { body, attributes: attached('e1') })]))).toEqual([]);
    expect(on.queue.rejected).toEqual([
      { messageId: 'm1', eventId: 'e1', reason: 'invalid-body', detail: expect.any(String) },
    ]);
    expect(await on.markers()).toEqual([]);
    expect(on.count).toHaveBeenCalledWith('dead-lettered', on.consumer);
  });

  it.each<[string, Run]>([
    ['returned', () => refuse('account-not-found', 'There is none.')],
    [
      'thrown',
      () => {
        throw new SemelError('account-not-found', 'There is none.');
      },
    ],
    [
      "an effect's",
      () => ({
        effects: [
          {
            ConditionCheck: { Key: { pk: 'none', sk: 'none' }, ConditionExpression: 'attribute_exists(pk)' },
            refuse: () => refuse('account-not-found', 'There is none.'),
          },
        ],
      }),
    ],
  ])('R30 whose refusal is %s leaves no marker', async (_, run) => {
    expect(failedIds(await on.deliver([message('m1')], { run }))).toEqual([]);
    expect(on.queue.rejected).toMatchObject([{ messageId: 'm1', reason: 'account-not-found' }]);
    expect(await on.markers()).toEqual([]);
  });

  it('R30 that cannot be dead-lettered is delivered again', async () => {
    vi.spyOn(on.queue, 'deadLetter').mockRejectedValue(new Error('SQS is down'));
    const answer = await on.deliver([message('m1', {}, { body: '{' }), message('m2', { name: 'refused' })], {
      run: () => refuse('account-not-found', 'There is none.'),
    });
    expect(failedIds(answer)).toEqual(['m1', 'm2']);
  });

  it('R30 is not what a redelivery is whose own effect is in the way', async () => {
    const once: Run = async ({ body, read }) =>
      (await read.get(on.key(body.name))) === undefined
        ? on.add(body)
        : refuse('message-refused', 'It is there already.');
    await on.deliver([message('m1')], { run: once });
    expect(failedIds(await on.deliver([message('m1')], { run: once }))).toEqual([]);
    expect(on.queue.rejected).toEqual([]);
    expect(on.count).toHaveBeenLastCalledWith('duplicate-message', on.consumer);
  });
});

it('R15 a redelivery looks for its marker in a transaction, since a plain read may miss one that just committed', async () => {
  const meddled = meddledStore(store);
  const careful = new AddingConsumer(meddled);
  const once: Run = async ({ body, read }) =>
    (await read.get(careful.key(body.name))) === undefined
      ? careful.add(body)
      : refuse('message-refused', 'It is there already.');
  await careful.deliver([message('m1')], { run: once });
  // The handler's own read sees the effect; after it, plain reads still miss what that was committed with.
  meddled.meddle(passOn, missPlainly);
  expect(failedIds(await careful.deliver([message('m1')], { run: once }))).toEqual([]);
  expect(careful.queue.rejected).toEqual([]);
  expect(careful.counted).toEqual(['new', 'duplicate-message']);
});

it('R30 a passing failure is delivered again', async () => {
  vi.spyOn(store.client, 'send').mockImplementation(() => {
    throw Object.assign(new Error('down'), { name: 'TimeoutError' });
  });
  expect(failedIds(await on.deliver([message('m1')]))).toEqual(['m1']);
  expect(on.queue.rejected).toEqual([]);
});
