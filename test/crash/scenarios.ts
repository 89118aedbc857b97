import type { Engine } from '../../lib/engine/engine.ts';
import { reconcile } from '../../lib/engine/reconcile.ts';
import { route } from '../../lib/http/endpoint.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { chargeOperation } from '../../lib/wallet/charge.ts';
import { CREATE_CHARGE, CREATE_TRANSFER } from '../../lib/wallet/contract.ts';
import { refundOperation } from '../../lib/wallet/refund.ts';
import { transfer } from '../../lib/wallet/transfer.ts';
import { httpEvent } from '../setup/http-event.ts';
import { type ClientHistory, insist } from './client.ts';
import type { Scenario } from './explorer.ts';
import { allDone, answeredAlike, moneyBooked, oneBooking, refusedWithoutEffect, singleEffect } from './invariants.ts';
import { type ProviderCall, providerOver } from './model-provider.ts';
import { seededWorld, type World } from './world.ts';

const authenticate = async () => 'alice';

const transferRoute = (engine: Engine) =>
  route({
    ...CREATE_TRANSFER,
    ...{ engine, authenticate },
    run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation }, read),
  });

const chargeRoute = (engine: Engine, call: ProviderCall) =>
  route({
    ...{ engine, authenticate },
    mode: 'leased',
    operation: chargeOperation(providerOver(call)),
    body: CREATE_CHARGE.body,
    intent: ({ body }) => body,
  });

const sendTransfer =
  (world: World, key: string, amount: number, skew = 0) =>
  () =>
    world.request(
      transferRoute,
      httpEvent({
        route: 'POST /transfers',
        headers: { 'idempotency-key': key },
        body: { from: 'acct_alice', to: 'acct_bob', amount },
      }),
      skew,
    );

const sendCharge =
  (world: World, key: string, source: string, skew = 0) =>
  () =>
    world.request(
      chargeRoute,
      httpEvent({
        route: 'POST /charges',
        headers: { 'idempotency-key': key },
        body: { account: 'acct_alice', amount: 700, source },
      }),
      skew,
    );

const runReconciler = async (world: World): Promise<void> => {
  const operations = (call: ProviderCall): LeasedOperation[] => {
    const provider = providerOver(call);
    return [chargeOperation(provider), refundOperation(provider)] as unknown as LeasedOperation[];
  };
  await world.invoke((engine, call, endsAt) => reconcile(engine, operations(call), endsAt)).catch(() => undefined);
};

/** Runs clients against a seeded world; what they saw is checked when all is still. */
function story(
  name: string,
  budget: Scenario['budget'],
  begin: (world: World) => readonly Promise<ClientHistory>[],
  check: (world: World, histories: readonly ClientHistory[]) => readonly string[],
): Scenario {
  return {
    name,
    budget,
    start: (scheduler) => {
      const world = seededWorld(scheduler);
      const histories: ClientHistory[] = [];
      const broken: string[] = [];
      for (const client of begin(world)) {
        client.then(
          (history) => histories.push(history),
          (error: unknown) => broken.push(`the service threw: ${String(error)}`),
        );
      }
      return () => [...broken, ...world.violations, ...check(world, histories)];
    },
  };
}

export const SCENARIOS: readonly Scenario[] = [
  story(
    'a transfer, sent until it is answered',
    { faults: 3, switches: 2 },
    (world) => [insist(world, sendTransfer(world, 'k', 500))],
    (world, seen) => [...allDone(seen, 1, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'one transfer by two clients at once',
    { faults: 2, switches: 3 },
    (world) => [
      insist(world, sendTransfer(world, 'k', 500, 2_000)),
      insist(world, sendTransfer(world, 'k', 500, -2_000)),
    ],
    (world, seen) => [...allDone(seen, 2, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'one key for two amounts',
    { faults: 2, switches: 3 },
    (world) => [insist(world, sendTransfer(world, 'k', 500)), insist(world, sendTransfer(world, 'k', 600))],
    (world, seen) => [...allDone(seen, 2, [201, 422]), ...singleEffect(world, 'transfer', 1)],
  ),
  story(
    'two transfers, of which the account affords one',
    { faults: 2, switches: 3 },
    (world) => [insist(world, sendTransfer(world, 'k1', 60_000)), insist(world, sendTransfer(world, 'k2', 60_000))],
    (world, seen) => [
      ...allDone(seen, 2, [201, 402]),
      ...singleEffect(world, 'transfer', 1),
      ...refusedWithoutEffect(world, seen),
    ],
  ),
  story(
    'the same transfer of all there is, twice',
    { faults: 2, switches: 3 },
    (world) => [insist(world, sendTransfer(world, 'k', 100_000)), insist(world, sendTransfer(world, 'k', 100_000))],
    (world, seen) => [...allDone(seen, 2, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'a charge, sent until it is answered',
    { faults: 3, switches: 2 },
    (world) => [insist(world, sendCharge(world, 'k', 'tok_ok'))],
    (world, seen) => [...allDone(seen, 1, [201]), ...oneBooking(world), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
  story(
    'one charge by two clients at once',
    { faults: 2, switches: 2 },
    (world) => [
      insist(world, sendCharge(world, 'k', 'tok_ok', 2_000)),
      insist(world, sendCharge(world, 'k', 'tok_ok', -2_000)),
    ],
    (world, seen) => [...allDone(seen, 2, [201]), ...oneBooking(world), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
  story(
    'a declined charge by two clients at once',
    { faults: 2, switches: 2 },
    (world) => [
      insist(world, sendCharge(world, 'k', 'tok_declined')),
      insist(world, sendCharge(world, 'k', 'tok_declined')),
    ],
    (world, seen) => [...allDone(seen, 2, [402]), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
  story(
    'a charge, its client and the reconciler',
    { faults: 2, switches: 3 },
    (world) => [
      insist(world, sendCharge(world, 'k', 'tok_ok')),
      runReconciler(world)
        .then(() => runReconciler(world))
        .then(() => ({ answers: [], last: undefined })),
    ],
    (world, seen) => [...oneBooking(world), ...moneyBooked(world), ...answeredAlike(seen)],
  ),
];
