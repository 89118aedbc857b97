import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { findOperation, recordKey } from '../../lib/engine/find-operation.ts';
import { listUnfinished } from '../../lib/engine/list-unfinished.ts';
import { attentionRecord, PENDING_SHARDS } from '../../lib/engine/new-record.ts';
import { reconcile } from '../../lib/engine/reconcile.ts';
import { resolve } from '../../lib/engine/resolve.ts';
import { toBase64Url } from '../../lib/protocol/base64url.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { formatOperationId } from '../../lib/protocol/operation-id.ts';
import { succeeded } from '../../lib/protocol/outside-call.ts';
import { type IdempotencyRecord, type InProgressRecord, SCHEMA_VERSION } from '../../lib/protocol/record.ts';
import { days, milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { loseResponse, meddledStore, passOn } from '../setup/meddled-store.ts';
import { setClock } from '../setup/set-clock.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const clock = setClock();
const deadline = () => milliseconds(clock.now() + 10_000);
const engineOn = (on: Store = store): Engine => createEngine({ store: on, surroundings: clock });

/** A record of a charge that was first seen an hour ago and has seen ten unknown outcomes. */
function unfinished(change: Partial<InProgressRecord> = {}): InProgressRecord {
  const keyHash = crypto.getRandomValues(new Uint8Array(32));
  const firstSeenAt = milliseconds(clock.now() - 3_600_000);
  return {
    pk: `key#${toBase64Url(keyHash)}`,
    schemaVersion: SCHEMA_VERSION,
    ...{
      operation: 'pay',
      caller: 'alice',
      fingerprint: 'f',
      fingerprintVersion: 1,
      ownerToken: 'before',
      attempt: 11,
    },
    operationId: formatOperationId(keyHash, toBase64Url(crypto.getRandomValues(new Uint8Array(16)))),
    ...{ firstSeenAt, leaseUntil: firstSeenAt, intent: '{"amount":5}', unknowns: 10, recoveryPoint: 'asked' },
    status: 'in_progress',
    pendingShard: String(PENDING_SHARDS[0]),
    ...change,
  };
}
const waiting = (change?: Partial<InProgressRecord>) => attentionRecord(unfinished(change), 'outcome-unknown');

async function seeded<Record extends IdempotencyRecord>(record: Record): Promise<Record> {
  await store.client.send(new PutCommand({ TableName: store.table, Item: record }));
  return record;
}

const paying: LeasedOperation = {
  ...{ name: 'pay', retention: days(1) },
  call: async ({ operation, intent, recoveryPoint }) => succeeded({ id: operation.id, intent, recoveryPoint }),
  settle: (_, result) => ({ status: 201, body: result }),
  cancel: () => ({ status: 402 }),
};

describe('resolve', () => {
  it('R11 lets the reconciler finish what waited for a person, at its recovery point and under its operation id', async () => {
    const engine = engineOn();
    const { pk, operationId } = await seeded(waiting());
    expect(await reconcile(engine, [paying], milliseconds(clock.now() + 60_000))).toEqual({});
    expect(await resolve(engine, operationId, deadline())).toEqual({ kind: 'resumed' });
    expect(await findOperation(engine, operationId, deadline())).toMatchObject({ unknowns: 0, attempt: 11 });
    expect(await reconcile(engine, [paying], milliseconds(clock.now() + 60_000))).toEqual({ settled: 1 });
    const body = JSON.stringify({ id: operationId, intent: { amount: 5 }, recoveryPoint: 'asked' });
    expect(await findOperation(engine, pk.slice('key#'.length), deadline())).toMatchObject({
      ...{ status: 'completed', operationId, attempt: 12 },
      reply: { status: 201, body },
    });
  });

  it('R11 changes nothing that does not wait', async () => {
    const engine = engineOn();
    const running = await seeded(unfinished());
    expect(await resolve(engine, running.operationId, deadline())).toEqual({ kind: 'not-waiting', record: running });
    expect(await resolve(engine, waiting().operationId, deadline())).toEqual({ kind: 'not-found' });
    expect(await resolve(engine, 'nonsense', deadline())).toEqual({ kind: 'not-found' });
  });

  it('R11 does not take back what another operator has let go on', async () => {
    const seen = await seeded(waiting());
    const slow = meddledStore(store);
    slow.meddle(passOn, async ({ send }) => {
      await resolve(engineOn(), seen.operationId, deadline());
      return send();
    });
    expect(await resolve(engineOn(slow), seen.operationId, deadline())).toMatchObject({
      kind: 'not-waiting',
      record: { status: 'in_progress', unknowns: 0 },
    });
  });

  it('R10 knows its own write when the answer was lost', async () => {
    const { operationId } = await seeded(waiting());
    const lossy = meddledStore(store);
    lossy.meddle(passOn, loseResponse);
    expect(await resolve(engineOn(lossy), operationId, deadline())).toEqual({ kind: 'resumed' });
    expect(lossy.calls.map(({ name }) => name)).toEqual(['GetCommand', 'PutCommand', 'PutCommand']);
  });
});

describe('findOperation', () => {
  it('tells the operation that a key was used for before from the one it is used for now', async () => {
    const engine = engineOn();
    const now = await seeded(unfinished());
    const before = now.operationId.replace(/\..*/, `.${toBase64Url(new Uint8Array(16))}`);
    expect(await findOperation(engine, before, deadline())).toBeUndefined();
    expect(await findOperation(engine, now.pk.slice('key#'.length), deadline())).toEqual(now);
  });

  it.each(['', 'op_', 'op_a.b', 'key#a', `${'A'.repeat(42)}B`])('finds nothing under %j', (reference) => {
    expect(recordKey(reference)).toBeUndefined();
  });
});

describe('listUnfinished', () => {
  it('lists what waits for a person first, then what lapsed the longest ago, and nothing that is over', async () => {
    const own = await freshStore();
    const engine = engineOn(own);
    const put = async <Record extends IdempotencyRecord>(Item: Record) => {
      await own.client.send(new PutCommand({ TableName: own.table, Item }));
      return Item;
    };
    const running = await put(unfinished({ leaseUntil: milliseconds(clock.now() + 5_000) }));
    const lapsed = await put(unfinished({ pendingShard: String(PENDING_SHARDS[7]) }));
    const attention = await put(waiting({ leaseUntil: milliseconds(clock.now() + 9_000) }));
    await put({
      ...unfinished(),
      status: 'completed',
      completedAt: clock.now(),
      expiresAt: days(1),
    } as IdempotencyRecord);
    const { records, more } = await listUnfinished(engine, deadline());
    expect(records).toEqual([attention, lapsed, running]);
    expect(more).toBe(false);
  });
});
