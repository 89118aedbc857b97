import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { outboxItem } from '../../lib/protocol/outbox.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { readInbox } from '../../lib/store/inbox-item.ts';
import { getOutboxItem } from '../../lib/store/outbox-items.ts';
import { readItem } from '../../lib/store/read-data.ts';
import { readRecord } from '../../lib/store/read-record.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { lag, type MeddledStore, meddledStore } from '../setup/meddled-store.ts';

let store: MeddledStore;
beforeAll(async () => {
  store = meddledStore(await freshStore());
});

const { signal } = new AbortController();
const put = (TableName: string, Item: object) =>
  store.client.send(new PutCommand({ TableName, Item: Item as Record<string, unknown> }));

// DynamoDB Local has no replicas that lag, so a read that would ask one is answered with nothing here.
describe('what was just written is read', () => {
  it('R4 as data: an API key that was revoked, an account that was closed', async () => {
    const key = { pk: randomUUID(), sk: 'x' };
    await put(store.dataTable, { ...key, revoked: true });
    store.meddle(lag);
    expect(await readItem(store, key, signal)).toMatchObject({ items: [{ revoked: true }] });
  });

  it('R24 as a record', async () => {
    const pk = `key#${randomUUID()}`;
    await put(store.table, { pk, schemaVersion: 1 });
    store.meddle(lag);
    expect(await readRecord(store, pk, signal)).toMatchObject({ record: { pk } });
  });

  it("R29 as a sender's mark", async () => {
    const pk = `inbox#c#${randomUUID()}`;
    await put(store.table, { pk, schemaVersion: 1, last: 7 });
    store.meddle(lag);
    expect(await readInbox(store, { pk }, signal)).toMatchObject({ inbox: { last: 7 } });
  });

  it('R32 as an event that waits to be sent', async () => {
    const item = outboxItem({ id: randomUUID(), type: 't', body: 1, createdAt: milliseconds(0) });
    await put(store.table, item);
    store.meddle(lag);
    expect(await getOutboxItem(store, item.pk, signal)).toMatchObject({ item: { type: 't' } });
  });
});
