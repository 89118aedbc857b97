import { applyOnce } from '../../lib/engine/apply-once.ts';
import { applySequence } from '../../lib/engine/sequence-inbox.ts';
import { days, milliseconds } from '../../lib/protocol/time.ts';
import { sumAttribute } from '../../lib/store/inbox-item.ts';
import { deposit } from '../../lib/wallet/deposit.ts';
import type { ClientHistory } from './client.ts';
import type { Scenario } from './explorer.ts';
import { violation } from './harm.ts';
import { singleEffect } from './invariants.ts';
import { story, UNSEEN } from './story.ts';
import type { World } from './world.ts';

/** More often than the faults of any schedule here. */
const MOST_DELIVERIES = 8;

/** Delivers until the consumer acknowledges, as a queue does. */
async function deliver(world: World, consume: () => Promise<unknown>): Promise<ClientHistory> {
  for (let delivery = 1; delivery <= MOST_DELIVERIES; delivery++) {
    const acknowledged = await consume().then(
      () => true,
      () => false,
    );
    if (acknowledged) return UNSEEN;
    await world.scheduler.turn(world.nextProcess(), 'redelivery', ['ok']);
  }
  world.violations.push(violation('stuck', 'a message was never acknowledged'));
  return UNSEEN;
}

const DEPOSIT = { eventId: 'evt-1', account: 'acct_alice', amount: 300, currency: 'EUR' };

const depositDelivery = (world: World) =>
  deliver(world, () =>
    world.invoke((engine, _, endsAt) =>
      applyOnce(
        engine,
        {
          ...{ consumer: 'deposits', source: 'alice', eventId: DEPOSIT.eventId },
          body: { kind: 'json', value: DEPOSIT },
          ...{ retention: days(42), deadline: endsAt },
        },
        (context) => deposit({ body: DEPOSIT, event: context.event }),
      ),
    ),
  );

const runDelivery = (world: World, seqs: readonly number[]) =>
  deliver(world, () =>
    world.invoke((engine, _, endsAt) =>
      applySequence(engine, {
        ...{ consumer: 'senders', source: 'alice', sender: 'a', deadline: milliseconds(endsAt) },
        messages: seqs.map((seq) => ({ seq, body: 2 ** seq })),
        effect: { deltas: (delta: number) => ({ total: delta }) },
      }),
    ),
  );

/** Each number counts a power of two, so a total tells which were applied and how often. */
const sumOf = (world: World): number => {
  const inbox = world.dynamodb.items('semel').find(({ pk }) => String(pk).startsWith('inbox#'));
  return Number(inbox?.[sumAttribute('total')] ?? 0);
};

export const MESSAGE_SCENARIOS: readonly Scenario[] = [
  story(
    'one deposit, delivered twice at once',
    { faults: 2, switches: 3 },
    (world) => [depositDelivery(world), depositDelivery(world)],
    (world) => singleEffect(world, 'deposit', 1),
  ),
  story(
    'overlapping runs of one sender',
    { faults: 2, switches: 3 },
    (world) => [runDelivery(world, [1, 2, 3]), runDelivery(world, [2, 3])],
    (world) => {
      const sum = sumOf(world);
      return sum === 14 ? [] : [violation(sum > 14 ? 'double' : 'lost', `1, 2 and 3 add up to ${sum}, not 14`)];
    },
  ),
];
