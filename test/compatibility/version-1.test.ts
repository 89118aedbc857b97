import { readFileSync } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { readOutboxItem } from '../../lib/store/outbox-items.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { boxOffice } from './box-office.ts';

/**
 * What release 0.1.0 stored of every kind. It stays as it is: tables in use hold such items until their retention ends. A
 * new version of an item gets a fixture beside this one.
 */
const ITEMS = (
  JSON.parse(readFileSync('test/compatibility/version-1.json', 'utf8')) as Record<string, AttributeValue>[]
).map((item) => unmarshall(item));

let store: Store;
beforeEach(async () => {
  store = await freshStore();
  for (const Item of ITEMS) await store.client.send(new PutCommand({ TableName: store.table, Item }));
});

const itemOf = async (pk: string) =>
  (await store.client.send(new GetCommand({ TableName: store.table, Key: { pk }, ConsistentRead: true }))).Item;

const stored = (operation: string, status: string) =>
  ITEMS.find((item) => item.operation === operation && item.status === status && item.reply?.status !== 402) ?? {};

describe('records of version 1', () => {
  it('R5 R17 are replayed, byte by byte', async () => {
    const office = boxOffice(store);
    const { reply, operationId } = stored('sell-tickets', 'completed');
    const again = await office.sell('sold', 2);
    expect(again).toMatchObject({ statusCode: 201, body: reply.body });
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'operation-id': operationId,
      location: '/tickets/1',
    });
    expect(office.counted).toEqual(['replayed']);
  });

  it('R16 are replayed when they refused', async () => {
    const again = await boxOffice(store).sell('refused', 9);
    expect(again).toMatchObject({ statusCode: 402 });
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('R7 know another request under their key', async () => {
    const office = boxOffice(store);
    expect((await office.sell('sold', 3)).statusCode).toBe(422);
    expect((await office.reserve('unanswered', 4)).statusCode).toBe(422);
  });

  it('R8 expire when they said they would', async () => {
    const office = boxOffice(store);
    office.clock.advance(86_400_000);
    expect((await office.sell('sold', 3)).statusCode).toBe(201);
    expect(office.counted).toEqual(['new', 'expired']);
  });

  it('R11 are taken over where their owner gave up, under the same operation id', async () => {
    const asked: { readonly id: string; readonly attempt: number }[] = [];
    const office = boxOffice(store, {
      book: async ({ operation }) => {
        asked.push(operation);
      },
    });
    office.clock.advance(60_000);
    const { operationId, pk } = stored('book-room', 'in_progress');
    const answer = await office.reserve('unanswered', 3);
    expect(answer).toMatchObject({ statusCode: 201, body: '{"nights":3}' });
    expect(asked).toMatchObject([{ id: operationId, attempt: 2 }]);
    expect(await itemOf(pk)).toMatchObject({ status: 'completed', operationId });
  });
});

describe('what else version 1 stored', () => {
  it('R25 a marker makes its message a duplicate, and another one under its id a mistake', async () => {
    const office = boxOffice(store);
    await office.pay(40);
    expect(office.counted).toEqual(['duplicate-message']);
    await office.pay(41);
    expect(office.queue.rejected).toMatchObject([{ reason: 'event-id-reused' }]);
  });

  it('R29 an inbox goes on where it stood', async () => {
    const office = boxOffice(store);
    const inbox = ITEMS.find(({ pk }) => pk.startsWith('inbox#')) ?? {};
    for (const seq of [2, 3, 4, 5]) await office.count(seq, 1);
    expect(await itemOf(inbox.pk)).toMatchObject({ last: 5, 'sum#total': inbox['sum#total'] + 3 });
  });

  it('R32 an event in the outbox can still be sent', () => {
    const waiting = ITEMS.filter(({ pk }) => pk.startsWith('outbox#')).map(readOutboxItem);
    expect(waiting).toMatchObject([{ type: 'sold', body: '{"seats":2}' }]);
  });
});

describe('records of a version to come', () => {
  it('are not guessed at: nothing is answered from them, and nothing is done', async () => {
    for (const item of ITEMS.filter(({ pk }) => pk.startsWith('key#'))) {
      await store.client.send(new PutCommand({ TableName: store.table, Item: { ...item, schemaVersion: 2 } }));
    }
    expect((await boxOffice(store).sell('sold', 2)).statusCode).toBe(500);
  });
});
