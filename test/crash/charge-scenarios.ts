import type { Engine } from '../../lib/engine/engine.ts';
import { reconcile } from '../../lib/engine/reconcile.ts';
import { route } from '../../lib/http/endpoint.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { SemelError } from '../../lib/protocol/problems.ts';
import { chargeOperation } from '../../lib/wallet/charge.ts';
import { CREATE_CHARGE, CREATE_REFUND } from '../../lib/wallet/keyed-operations.ts';
import { refundOperation } from '../../lib/wallet/refund.ts';
import { httpEvent } from '../setup/http-event.ts';
import { type ClientHistory, insist } from './client.ts';
import type { Scenario } from './explorer.ts';
import { allDone, answeredAlike, moneyBooked, oneMovement, times } from './invariants.ts';
import { type ProviderCall, providerOver } from './model-provider.ts';
import { story, UNSEEN } from './story.ts';
import type { World } from './world.ts';

const authenticate = async () => 'alice';

const chargeRoute = (engine: Engine, call: ProviderCall) =>
  route({
    ...{ engine, authenticate },
    mode: 'leased',
    operation: chargeOperation(providerOver(call)),
    body: CREATE_CHARGE.body,
    intent: ({ body }) => body,
  });

const refundRoute = (engine: Engine, call: ProviderCall) =>
  route({
    ...{ engine, authenticate },
    mode: 'leased',
    operation: refundOperation(providerOver(call)),
    body: CREATE_REFUND.body,
    intent: ({ body, params }) => ({ charge: params.id ?? '', amount: body?.amount }),
  });

const charger = (world: World, key: string, source: string, skew = 0) => {
  const body = { account: 'acct_alice', amount: 700, source };
  const event = httpEvent({ route: 'POST /charges', headers: { 'idempotency-key': key }, body });
  return insist(world, () => world.request(chargeRoute, event, skew));
};

/** What was charged before the story begins. */
const CHARGED = { id: 'ch_1', amount: 700 };

const refunder = (world: World, key: string, body: { amount?: number }) => {
  const headers = { 'idempotency-key': key };
  const path = `/charges/${CHARGED.id}/refunds`;
  const event = httpEvent({ route: 'POST /charges/{id}/refunds', path, params: { id: CHARGED.id }, headers, body });
  return insist(world, () => world.request(refundRoute, event));
};

/** A plain handler under a lease, which says so when nothing was done yet. */
const wrappedRoute = (engine: Engine, call: ProviderCall) =>
  route({
    ...{ engine, authenticate },
    mode: 'leased',
    operation: 'plain-charge',
    body: CREATE_CHARGE.body,
    run: async ({ intent, operation }) => {
      const reference = operation.id;
      await call({ kind: 'find', reference: 'terms', amount: 0 }).catch(() => {
        throw new SemelError('forbidden', 'The terms could not be read, so nothing was done.');
      });
      await call({ kind: 'charge', reference, amount: intent.amount });
      return { status: 201, body: { reference } };
    },
  });

/** A phase of its own before the charge: what it does must be done once, too. */
const weighingRoute = (engine: Engine, call: ProviderCall) =>
  route({
    ...{ engine, authenticate },
    mode: 'leased',
    operation: 'weigh-and-charge',
    body: CREATE_CHARGE.body,
    run: async ({ intent, operation, recoveryPoint, checkpoint }) => {
      if (recoveryPoint === undefined) await checkpoint('weighed', { effects: [WEIGH] });
      await call({ kind: 'charge', reference: operation.id, amount: intent.amount });
      return { status: 201, body: { reference: operation.id } };
    },
  });

const SCALES = { pk: 'scales', sk: 'scales' };
const WEIGH = {
  Update: {
    Key: SCALES,
    UpdateExpression: 'SET weighed = weighed + :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
};

const weighingCharger = (world: World): Promise<ClientHistory> => {
  world.dynamodb.put('data', { ...SCALES, weighed: 0 });
  const body = { account: 'acct_alice', amount: 700, source: 'tok_ok' };
  const event = httpEvent({ route: 'POST /weighed', headers: { 'idempotency-key': 'k' }, body });
  return insist(world, () => world.request(weighingRoute, event));
};

const weighed = (world: World): number =>
  Number(world.dynamodb.items('data').find(({ pk }) => pk === SCALES.pk)?.weighed);

/** Comes back after "nothing was done" as well. */
const plainCharger = async (world: World): Promise<ClientHistory> => {
  const body = { account: 'acct_alice', amount: 700, source: 'tok_ok' };
  const event = httpEvent({ route: 'POST /plain', headers: { 'idempotency-key': 'k' }, body });
  for (;;) {
    const history = await insist(world, () => world.request(wrappedRoute, event));
    if (history.last?.statusCode !== 403) return history;
  }
};

const runReconciler = (world: World): Promise<unknown> => {
  const operations = (call: ProviderCall) => {
    const provider = providerOver(call);
    return [chargeOperation(provider), refundOperation(provider)] as unknown as LeasedOperation[];
  };
  return world.invoke((engine, call, endsAt) => reconcile(engine, operations(call), endsAt)).catch(() => undefined);
};

const twiceReconciled = async (world: World): Promise<ClientHistory> => {
  await runReconciler(world);
  await runReconciler(world);
  return UNSEEN;
};

/** A charge that is settled, at the provider and in the ledger. */
function withCharge(world: World): World {
  const { id, amount } = CHARGED;
  world.provider.receipts.set('op_1', { id: 'pr_0', reference: 'op_1', amount, kind: 'charge' });
  const [alice] = world.dynamodb.items('data').filter(({ pk }) => pk === 'account#acct_alice');
  const balance = Number(alice?.balance) + amount;
  world.dynamodb.put('data', { ...alice, balance, available: balance, room: Number(alice?.room) - amount });
  world.dynamodb.put('data', {
    ...{ pk: `charge#${id}`, sk: 'charge', id, caller: 'alice', account: 'acct_alice', amount },
    ...{ refunded: 0, refundable: amount, status: 'succeeded', providerReference: 'pr_0', operation: 'op_1' },
  });
  world.dynamodb.put('data', {
    pk: `entry#${id}`,
    sk: 'entry',
    id,
    kind: 'charge',
    amount,
    creditAccount: 'acct_alice',
  });
  return world;
}

export const CHARGE_SCENARIOS: readonly Scenario[] = [
  story(
    'a charge, sent until it is answered',
    { faults: 3, switches: 2 },
    (world) => [charger(world, 'k', 'tok_ok')],
    (world, seen) => [
      ...allDone(seen, 1, [201]),
      ...oneMovement(world, 'charge'),
      ...moneyBooked(world),
      ...answeredAlike(seen),
    ],
  ),
  story(
    'one charge by two clients at once',
    { faults: 2, switches: 2 },
    (world) => [charger(world, 'k', 'tok_ok', 2_000), charger(world, 'k', 'tok_ok', -2_000)],
    (world, seen) => [
      ...allDone(seen, 2, [201]),
      ...oneMovement(world, 'charge'),
      ...moneyBooked(world),
      ...answeredAlike(seen),
    ],
  ),
  story(
    'a declined charge by two clients at once',
    { faults: 2, switches: 2 },
    (world) => [charger(world, 'k', 'tok_declined'), charger(world, 'k', 'tok_declined')],
    (world, seen) => [...allDone(seen, 2, [402]), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
  story(
    'a charge, its client and the reconciler',
    { faults: 2, switches: 3 },
    (world) => [charger(world, 'k', 'tok_ok'), twiceReconciled(world)],
    (world, seen) => [...oneMovement(world, 'charge'), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
  story(
    'a plain handler under a lease, by two clients',
    { faults: 3, switches: 2 },
    (world) => [plainCharger(world), plainCharger(world)],
    (world, seen) => [
      ...allDone(seen, 2, [201]),
      ...times(world.provider.receipts.size, 1, 'charges at the provider'),
      ...answeredAlike(seen),
    ],
  ),
  story(
    'a charge in two phases under a lease, by two clients',
    { faults: 3, switches: 2 },
    (world) => [weighingCharger(world), weighingCharger(world)],
    (world, seen) => [
      ...allDone(seen, 2, [201]),
      ...times(world.provider.receipts.size, 1, 'charges at the provider'),
      ...times(weighed(world), 1, 'weighings'),
      ...answeredAlike(seen),
    ],
  ),
  story(
    'a refund, sent until it is answered',
    { faults: 3, switches: 2 },
    (world) => [refunder(withCharge(world), 'k', {})],
    (world, seen) => [
      ...allDone(seen, 1, [201]),
      ...oneMovement(world, 'refund'),
      ...moneyBooked(world),
      ...answeredAlike(seen),
    ],
  ),
  story(
    'two refunds of the whole charge at once',
    { faults: 2, switches: 2 },
    (world) => {
      withCharge(world);
      return [refunder(world, 'k1', { amount: 700 }), refunder(world, 'k2', { amount: 700 })];
    },
    (world, seen) => [...allDone(seen, 2, [201, 422]), ...oneMovement(world, 'refund'), ...moneyBooked(world)],
  ),
];
