import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { newMarker } from '../../lib/protocol/marker.ts';
import type { Effect } from '../../lib/protocol/plan.ts';
import type { IdempotencyRecord } from '../../lib/protocol/record.ts';
import { milliseconds, seconds } from '../../lib/protocol/time.ts';
import { applyMarked } from '../../lib/store/apply-marked.ts';
import { countListed } from '../../lib/store/count-listed.ts';
import { findUnfinished } from '../../lib/store/find-unfinished.ts';
import { lookAtMarker } from '../../lib/store/look-at-marker.ts';
import { deleteOutboxItem } from '../../lib/store/outbox-items.ts';
import { queryItems, readItem } from '../../lib/store/read-data.ts';
import { lookAtRecord, readRecord } from '../../lib/store/read-record.ts';
import {
  ifHeldBy,
  ifOwnedBy,
  ifStill,
  type RecordCondition,
  startCondition,
} from '../../lib/store/record-condition.ts';
import { releaseRecord } from '../../lib/store/release-record.ts';
import type { Store } from '../../lib/store/store.ts';
import { transactGuarded } from '../../lib/store/transact-guarded.ts';
import { writeRecord } from '../../lib/store/write-record.ts';
import { accountItem, accountKey } from '../../lib/wallet/account.ts';
import { BY_CREDITOR, BY_DEBTOR, entryKey } from '../../lib/wallet/entry.ts';
import { INBOX_CALLS } from './inbox-calls.ts';
import { EFFECTS, type MadeEffect } from './made-effects.ts';
import { type Place, SIGNAL, type StoreCall } from './store-call.ts';

/** The accounts that effects move money between; a third one is never opened. */
export async function seedAccounts(store: Store, run: string): Promise<void> {
  const openedBy = { id: 'op', uuid: 'u', now: milliseconds(1) };
  const puts = [['a', 6] as const, ['b', 0] as const].map(([name, balance]) => {
    const account = accountItem({ id: `${run}-${name}`, currency: 'EUR', caller: 'alice', balance, openedBy });
    // So little that it runs out as easily as money does.
    const Item = { ...account, room: 9 };
    return { Put: { TableName: store.dataTable, Item } };
  });
  await store.client.send(new TransactWriteCommand({ TransactItems: puts, ClientRequestToken: run }));
}

const key = fc.constantFrom('k1', 'k2');
const owner = fc.constantFrom('A', 'B');
const shard = fc.constantFrom('0', '1');
const small = fc.integer({ min: 0, max: 5 });

const effects: fc.Arbitrary<(place: Place) => readonly Effect[]> = fc
  .uniqueArray(EFFECTS, { selector: ({ item }) => item, maxLength: 4 })
  .map(
    (made: readonly MadeEffect[]) =>
      ({ run, step }) =>
        made.map(({ effect }) => effect(run, step)),
  );

const condition: fc.Arbitrary<(place: Place) => RecordCondition> = fc.oneof(
  fc.constant(() => startCondition(undefined)),
  owner.map((token) => () => ifOwnedBy(token)),
  owner.map((token) => () => ifHeldBy(token)),
  fc.tuple(owner, small).map(
    ([ownerToken, step]) =>
      () =>
        ifStill({ ownerToken, leaseUntil: leaseOf(step) } as Parameters<typeof ifStill>[0]),
  ),
);

/** Never the same for two writes of a run: an index orders equal ones as it likes. */
const leaseOf = (step: number) => milliseconds(1_000 + ((step * 7) % 11));

const recordOf = ([name, ownerToken, status, pendingShard]: [string, string, string, string], { run, step }: Place) =>
  ({
    ...{ pk: `key#${run}-${name}`, schemaVersion: 1, operation: 'o', caller: 'alice', fingerprint: 'f', ownerToken },
    ...{
      fingerprintVersion: 1,
      operationId: `op_${step}`,
      attempt: 1,
      firstSeenAt: 1,
      status,
      correlationId: undefined,
    },
    ...(status === 'completed'
      ? { completedAt: 2, expiresAt: 3, reply: { status: 201, headers: { etag: '"1"' }, body: `${step}` } }
      : { leaseUntil: leaseOf(step), intent: '{}', unknowns: 0, pendingShard: `${run}-${pendingShard}` }),
  }) as unknown as IdempotencyRecord;

const write: fc.Arbitrary<StoreCall> = fc
  .tuple(
    fc.tuple(key, owner, fc.constantFrom('in_progress', 'completed', 'needs_attention'), shard),
    condition,
    effects,
  )
  .map(
    ([record, when, plan]) =>
      (place) =>
        writeRecord(place.store, recordOf(record, place), when(place), plan(place), SIGNAL),
  );

/** Only in-progress records, so that fences and takeovers meet something to take. */
const claim: fc.Arbitrary<StoreCall> = fc.tuple(key, owner, shard, condition).map(
  ([name, token, pending, when]) =>
    (place) =>
      writeRecord(place.store, recordOf([name, token, 'in_progress', pending], place), when(place), [], SIGNAL),
);

const recordCalls: readonly fc.Arbitrary<StoreCall>[] = [
  fc.tuple(key, owner).map(
    ([name, token]) =>
      ({ store, run }) =>
        releaseRecord(store, `key#${run}-${name}`, token, SIGNAL),
  ),
  key.map(
    (name) =>
      ({ store, run }) =>
        readRecord(store, `key#${run}-${name}`, SIGNAL),
  ),
  key.map(
    (name) =>
      ({ store, run }) =>
        lookAtRecord(store, `key#${run}-${name}`, SIGNAL),
  ),
  key.map(
    (name) =>
      ({ store, run }) =>
        deleteOutboxItem(store, `key#${run}-${name}`, SIGNAL),
  ),
  fc.tuple(shard, small, fc.integer({ min: 1, max: 3 })).map(
    ([name, step, limit]) =>
      ({ store, run }) =>
        findUnfinished(store, `${run}-${name}`, leaseOf(step), limit, SIGNAL),
  ),
  shard.map(
    (name) =>
      ({ store, run }) =>
        countListed(store, `${run}-${name}`, SIGNAL),
  ),
];

const event = fc.constantFrom('e1', 'e2');
const markerOf = (pk: string, ownerToken: string) =>
  newMarker({ pk, ownerToken, fingerprint: 'f', expiresAt: seconds(9) });

const messageCalls: readonly fc.Arbitrary<StoreCall>[] = [
  fc.tuple(event, owner, effects).map(
    ([id, token, plan]) =>
      (place) =>
        applyMarked(place.store, markerOf(`msg#${place.run}-${id}`, token), plan(place), SIGNAL),
  ),
  event.map(
    (id) =>
      ({ store, run }) =>
        lookAtMarker(store, `msg#${run}-${id}`, SIGNAL),
  ),
];

/** The same token for the same writes, or for others; some of them cancelled, which leaves a token unused. */
const sameToken: fc.Arbitrary<StoreCall> = fc
  .record({ token: fc.constantFrom('1', '2'), content: fc.constantFrom('x', 'y'), onlyFirst: fc.boolean() })
  .map(({ token, content, onlyFirst }) => ({ store, run }) => {
    const Item = { pk: `token#${run}`, sk: 't', content };
    const Put = {
      TableName: store.dataTable,
      Item,
      ...(onlyFirst && { ConditionExpression: 'attribute_not_exists(pk)' }),
    };
    const write = new TransactWriteCommand({ TransactItems: [{ Put }], ClientRequestToken: `${run}-t${token}` });
    return store.client.send(write).catch(() => undefined);
  });

const dataCalls: readonly fc.Arbitrary<StoreCall>[] = [
  // What cannot be worked out is thrown, by the store too.
  effects.map((plan) => (place) => {
    const planned = plan(place);
    const requestedBy = `${place.run}-${place.step}`;
    if (planned.length === 0) return readItem(place.store, entryKey(requestedBy), SIGNAL);
    return transactGuarded(place.store, { requestedBy }, planned, SIGNAL);
  }),
  fc
    .record({ side: fc.boolean(), limit: fc.integer({ min: 1, max: 4 }), newestFirst: fc.boolean(), step: small })
    .map(({ side, limit, newestFirst, step }) => ({ store, run }) => {
      const [index, attribute, account] = side ? [BY_DEBTOR, 'debitAccount', 'a'] : [BY_CREDITOR, 'creditAccount', 'b'];
      const comparison = newestFirst ? '<' : '>=';
      const condition = `${attribute} = :account AND entryUuid ${comparison} :uuid`;
      const values = { ':account': `${run}-${account}`, ':uuid': `u${step}` };
      return queryItems(store, { index, condition, values, newestFirst, limit }, SIGNAL);
    }),
  fc.constantFrom('a', 'b', 'c').map(
    (name) =>
      ({ store, run }) =>
        readItem(store, accountKey(`${run}-${name}`), SIGNAL),
  ),
];

const tolerant =
  (call: StoreCall): StoreCall =>
  (place) =>
    call(place).catch(() => undefined);

/** Any call of the store. */
export const STORE_CALLS: fc.Arbitrary<StoreCall> = fc
  .oneof(
    { weight: 4, arbitrary: write },
    { weight: 2, arbitrary: claim },
    { weight: 4, arbitrary: fc.oneof(...recordCalls) },
    { weight: 4, arbitrary: fc.oneof(...INBOX_CALLS) },
    { weight: 3, arbitrary: fc.oneof(...messageCalls) },
    { weight: 2, arbitrary: sameToken },
    { weight: 4, arbitrary: fc.oneof(...dataCalls) },
  )
  .map(tolerant);
