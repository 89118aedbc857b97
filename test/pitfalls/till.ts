import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Effect } from '../../lib/protocol/plan.ts';
import type { Store } from '../../lib/store/store.ts';

/** Where the naive half of each pitfall takes its money: a till on the same tables, without any of the engine's care. */
export async function openTill(store: Store) {
  const id = randomUUID();
  const key = { pk: `till#${id}`, sk: 'till' };
  const take = (amount: number) => ({
    Key: key,
    UpdateExpression: 'SET charged = charged + :amount',
    ExpressionAttributeValues: { ':amount': amount },
  });
  const read = async (at: { pk: string; sk: string }) => {
    const get = new GetCommand({ TableName: store.dataTable, Key: at, ConsistentRead: true });
    return (await store.client.send(get)).Item;
  };
  const noteAt = (name: string) => ({ pk: `till#${id}`, sk: `note#${name}` });
  await store.client.send(new PutCommand({ TableName: store.dataTable, Item: { ...key, charged: 0 } }));
  return {
    charge: async (amount: number) => {
      await store.client.send(new UpdateCommand({ TableName: store.dataTable, ...take(amount) }));
    },
    /** The same as an effect, for whoever commits it with a marker. */
    charging: (amount: number): Effect => ({ Update: take(amount) }),
    charged: async () => Number((await read(key))?.charged),
    /** Writes something down, whatever stood there. */
    note: async (name: string, text: string) => {
      await store.client.send(new PutCommand({ TableName: store.dataTable, Item: { ...noteAt(name), text } }));
    },
    noted: async (name: string): Promise<string | undefined> => (await read(noteAt(name)))?.text,
  };
}

/** What a pitfall costs, in the test's output. */
export function damage(pitfall: string, is: string): void {
  process.stdout.write(`${pitfall}: ${is}\n`);
}
