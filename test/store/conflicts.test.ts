import 'aws-sdk-client-mock-vitest/extend';
import { DynamoDBClient, TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Effect } from '../../lib/protocol/plan.ts';
import type { CompletedRecord } from '../../lib/protocol/record.ts';
import { milliseconds, seconds } from '../../lib/protocol/time.ts';
import { putRecord } from '../../lib/store/put-record.ts';
import { readItem } from '../../lib/store/read-data.ts';
import { IF_ABSENT } from '../../lib/store/record-condition.ts';
import { transact } from '../../lib/store/transact.ts';

/** DynamoDB Local serializes transactions and never throttles, so these answers are scripted. */
const mocked = mockClient(DynamoDBDocumentClient);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }));
const store = { client, table: 'semel', dataTable: 'data' };
const { signal } = new AbortController();
const $metadata = { httpStatusCode: 400 };

const record: CompletedRecord = {
  ...{ pk: 'key#1', schemaVersion: 1, status: 'completed', operation: 'op', caller: 'alice', fingerprint: 'f' },
  ...{ fingerprintVersion: 1, ownerToken: 'us', operationId: 'op_1', attempt: 1 },
  ...{ firstSeenAt: milliseconds(1), completedAt: milliseconds(2), expiresAt: seconds(3) },
};
const effects: readonly Effect[] = [{ Put: { Item: { pk: 'a', sk: 'b' } } }];

const cancelled = (...codes: readonly string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

const named = (name: string) => Object.assign(new Error(name), { name, $metadata });

beforeEach(() => {
  mocked.reset();
});

describe('what DynamoDB Local cannot answer', () => {
  it('R22 a transaction in conflict is a setback, whichever item it is about', async () => {
    for (const reasons of [
      ['TransactionConflict', 'None'],
      ['None', 'TransactionConflict'],
    ]) {
      mocked.on(TransactWriteCommand).rejects(cancelled(...reasons));
      expect(await transact(store, record, IF_ABSENT, effects, signal)).toEqual({
        kind: 'setback',
        reason: 'conflict',
      });
    }
  });

  it("R22 a record in conflict hides an effect's failed condition: the first attempt may have taken the money", async () => {
    mocked.on(TransactWriteCommand).rejects(cancelled('TransactionConflict', 'ConditionalCheckFailed'));
    expect(await transact(store, record, IF_ABSENT, effects, signal)).toEqual({ kind: 'setback', reason: 'conflict' });
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'R22 a transaction cancelled by %s is a setback',
    async (code) => {
      mocked.on(TransactWriteCommand).rejects(cancelled('None', code));
      expect(await transact(store, record, IF_ABSENT, effects, signal)).toEqual({
        kind: 'setback',
        reason: 'throttle',
      });
    },
  );

  it('R22 a single write in conflict with a transaction is a setback', async () => {
    mocked.on(PutCommand).rejects(new TransactionConflictException({ message: 'conflict', $metadata }));
    expect(await putRecord(store, record, IF_ABSENT, signal)).toEqual({ kind: 'setback', reason: 'conflict' });
  });

  it.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])(
    'R22 a read throttled by %s is a setback',
    async (name) => {
      mocked.on(GetCommand).rejects(named(name));
      expect(await readItem(store, { pk: 'a' }, signal)).toEqual({ kind: 'setback', reason: 'throttle' });
    },
  );

  it('R10 the same plan carries the same client request token, another plan another', async () => {
    mocked.on(TransactWriteCommand).resolves({});
    await transact(store, record, IF_ABSENT, effects, signal);
    await transact(store, record, IF_ABSENT, effects, signal);
    await transact(store, { ...record, ownerToken: 'others' }, IF_ABSENT, effects, signal);
    const tokens = mocked.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.ClientRequestToken);
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).not.toBe(tokens[0]);
    expect(tokens[0]?.length).toBeLessThanOrEqual(36);
    expect(mocked).toHaveReceivedCommandTimes(TransactWriteCommand, 3);
  });
});
