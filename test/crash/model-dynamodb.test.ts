import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { ModelDynamoDb } from './model-dynamodb.ts';
import { modelTables } from './model-tables.ts';
import type { StoreCall } from './store-call.ts';
import { STORE_CALLS, seedAccounts } from './store-calls.ts';
import { TwinClient } from './twin-client.ts';

const RUNS = 200;
/** A busy machine tries fewer. */
const MOST_TIME = 15_000;

let real: Store;
let model: ModelDynamoDb;
beforeAll(async () => {
  real = await freshStore();
  model = new ModelDynamoDb(modelTables(real.table, real.dataTable));
});

/** Makes the calls one after the other, on items of their own; answers where DynamoDB and the model disagreed. */
async function play(calls: readonly StoreCall[], run: number, twin: TwinClient): Promise<readonly string[]> {
  const store = { ...real, client: twin.client };
  await seedAccounts(store, `run-${run}`);
  for (const [step, call] of calls.entries()) await call({ store, run: `run-${run}`, step });
  return twin.differences.splice(0);
}

const pkOf = ({ pk, sk }: Record<string, unknown>): string => `${pk} ${sk}`;
const inOrder = (items: readonly Record<string, unknown>[]) => items.toSorted((a, b) => (pkOf(a) < pkOf(b) ? -1 : 1));

describe('the model of DynamoDB', () => {
  it('R9 R10 R12 R22 answers every call of the store as DynamoDB Local does, and keeps the same items', {
    timeout: 3 * MOST_TIME,
  }, async () => {
    const twin = new TwinClient(real.client, model);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STORE_CALLS, { minLength: 4, maxLength: 10 }), async (calls) => {
        expect(await play(calls, run++, twin)).toEqual([]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: MOST_TIME },
    );
    for (const table of [real.table, real.dataTable]) {
      const { Items = [] } = await real.client.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
      expect(inOrder(model.items(table))).toEqual(inOrder(Items));
    }
    // A generator that never makes a condition fail would prove nothing.
    expect([...twin.seen.keys()]).toEqual(expect.arrayContaining([...EXPECTED_ANSWERS]));
  });
});

const EXPECTED_ANSWERS = [
  'Get ok',
  'Query ok',
  'TransactGet ok',
  'Put ok',
  'Put ConditionalCheckFailedException',
  'Update ok',
  'Update ConditionalCheckFailedException',
  'Delete ok',
  'Delete ConditionalCheckFailedException',
  'TransactWrite ok',
  'TransactWrite cancelled: ConditionalCheckFailed',
  'TransactWrite cancelled: ConditionalCheckFailed and None',
  'TransactWrite invalid',
  'TransactWrite IdempotentParameterMismatchException',
] as const;
