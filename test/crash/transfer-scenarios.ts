import { createHash } from 'node:crypto';
import type { Engine } from '../../lib/engine/engine.ts';
import { route } from '../../lib/http/endpoint.ts';
import { scopedKey, scopeParts } from '../../lib/protocol/scope.ts';
import { CREATE_TRANSFER } from '../../lib/wallet/keyed-operations.ts';
import { transfer } from '../../lib/wallet/transfer.ts';
import { httpEvent } from '../setup/http-event.ts';
import { insist } from './client.ts';
import type { Scenario } from './explorer.ts';
import {
  allDone,
  answeredAlike,
  neverInFlight,
  oneAccepted,
  refusedWithoutEffect,
  singleEffect,
} from './invariants.ts';
import { story } from './story.ts';
import type { World } from './world.ts';

const transferRoute = (engine: Engine) =>
  route({
    ...CREATE_TRANSFER,
    ...{ engine, authenticate: async () => 'alice' },
    run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation }, read),
  });

interface Sent {
  readonly skew?: number;
  /** Sends the hint of a client that knows it is retrying (R24). */
  readonly hinted?: boolean;
}

const sender = (world: World, key: string, amount: number, { skew = 0, hinted = false }: Sent = {}) => {
  const headers = { 'idempotency-key': key, ...(hinted && { 'idempotency-attempt': '2' }) };
  const body = { from: 'acct_alice', to: 'acct_bob', amount };
  return insist(world, () =>
    world.request(transferRoute, httpEvent({ route: 'POST /transfers', headers, body }), skew),
  );
};

/** The record of the same key, long over, that TTL has not deleted yet. */
function withExpired(world: World, key: string): World {
  const hash = createHash('sha256').update(scopedKey(scopeParts('caller', { caller: 'alice', operation: '', key })));
  world.dynamodb.put('semel', {
    ...{ pk: `key#${hash.digest('base64url')}`, schemaVersion: 1, status: 'completed', operation: 'create-transfer' },
    ...{ caller: 'alice', fingerprint: 'old', fingerprintVersion: 1, ownerToken: 'old', operationId: 'op_old' },
    ...{ attempt: 1, firstSeenAt: 1, completedAt: 1, expiresAt: 1, reply: { status: 201, headers: {}, body: '{}' } },
  });
  return world;
}

export const TRANSFER_SCENARIOS: readonly Scenario[] = [
  story(
    'a transfer, sent until it is answered',
    { faults: 3, switches: 2 },
    (world) => [sender(world, 'k', 500)],
    (world, seen) => [
      ...allDone(seen, 1, [201]),
      ...singleEffect(world, 'transfer', 1),
      ...answeredAlike(seen),
      ...neverInFlight(seen),
    ],
  ),
  story(
    'one transfer by two clients at once',
    { faults: 2, switches: 3 },
    (world) => [sender(world, 'k', 500, { skew: 2_000 }), sender(world, 'k', 500, { skew: -2_000, hinted: true })],
    (world, seen) => [...allDone(seen, 2, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'one transfer by three clients at once',
    { faults: 1, switches: 3 },
    (world) => [sender(world, 'k', 500), sender(world, 'k', 500), sender(world, 'k', 500)],
    (world, seen) => [...allDone(seen, 3, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'one key for two amounts',
    { faults: 2, switches: 3 },
    (world) => [sender(world, 'k', 500), sender(world, 'k', 600)],
    (world, seen) => [...allDone(seen, 2, [201, 422]), ...singleEffect(world, 'transfer', 1), ...oneAccepted(seen)],
  ),
  story(
    'two transfers, of which the account affords one',
    { faults: 2, switches: 3 },
    (world) => [sender(world, 'k1', 60_000), sender(world, 'k2', 60_000)],
    (world, seen) => [
      ...allDone(seen, 2, [201, 402]),
      ...singleEffect(world, 'transfer', 1),
      ...refusedWithoutEffect(world, seen),
    ],
  ),
  story(
    'the same transfer of all there is, twice',
    { faults: 2, switches: 3 },
    (world) => [sender(world, 'k', 100_000), sender(world, 'k', 100_000)],
    (world, seen) => [...allDone(seen, 2, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'a transfer under an expired key, by two clients',
    { faults: 2, switches: 3 },
    (world) => [sender(withExpired(world, 'k'), 'k', 500), sender(world, 'k', 500)],
    (world, seen) => [...allDone(seen, 2, [201]), ...singleEffect(world, 'transfer', 1), ...answeredAlike(seen)],
  ),
  story(
    'a refused transfer, twice',
    { faults: 2, switches: 3 },
    (world) => [sender(world, 'k', 100_001), sender(world, 'k', 100_001)],
    (world, seen) => [...allDone(seen, 2, [402]), ...singleEffect(world, 'transfer', 0), ...answeredAlike(seen)],
  ),
];
