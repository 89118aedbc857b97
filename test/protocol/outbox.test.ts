import { describe, expect, it } from 'vitest';
import { emit, OUTBOX_SHARDS, OWN_TABLE, outboxEventId, outboxItem } from '../../lib/protocol/outbox.ts';
import { milliseconds } from '../../lib/protocol/time.ts';

const event = { id: 'evt_a', type: 'large-transfer', body: { amount: 5 }, createdAt: milliseconds(1_000) };
const item = {
  pk: 'outbox#evt_a',
  schemaVersion: 1,
  type: 'large-transfer',
  source: '',
  body: '{"amount":5}',
  pendingShard: 'outbox-1',
  leaseUntil: 61_000,
};

describe('outboxItem', () => {
  it('R32 waits for the stream, and for the sweeper a minute later', () => {
    expect(outboxItem(event)).toStrictEqual(item);
  });

  it('R32 carries its source and the correlation id of its request', () => {
    const known = { source: 'c_1', correlationId: 'r-1' };
    expect(outboxItem({ ...event, ...known })).toStrictEqual({ ...item, ...known });
  });

  it('R32 spreads over the shards in which the sweeper looks', () => {
    const shards = ['a', 'b', 'c', 'd', 'e'].map((id) => outboxItem({ ...event, id: `evt_${id}` }).pendingShard);
    expect(shards).toEqual(['outbox-1', 'outbox-2', 'outbox-3', 'outbox-0', 'outbox-1']);
    expect(OUTBOX_SHARDS).toEqual(['outbox-0', 'outbox-1', 'outbox-2', 'outbox-3']);
  });

  it('R32 gives the event id back', () => {
    expect(outboxEventId(outboxItem(event).pk)).toBe('evt_a');
  });
});

describe('emit', () => {
  it("R32 is an effect on Semel's own table, by a name that no table can have", () => {
    expect(emit(event)).toEqual({ Put: { TableName: OWN_TABLE, Item: item } });
    expect(OWN_TABLE).not.toMatch(/^[\w.-]*$/);
  });

  it.each([
    ['no body', { body: undefined }, 'The body of a message is undefined'],
    ['an empty id', { id: '' }, 'The id of an event is empty'],
    ['an id over 1,024 bytes', { id: '€'.repeat(342) }, 'The id of an event has 1026 bytes'],
    ['an id that SQS does not take', { id: 'evt_\u0001' }, 'Semel-Event-Id'],
    ['a source that SQS does not take', { source: '\uffff' }, 'Semel-Source'],
    ['a correlation id that SQS does not take', { correlationId: '\ufffe' }, 'Semel-Correlation-Id'],
  ])('R22 refuses an event with %s, which could never leave', (_, change, message) => {
    expect(() => emit({ ...event, ...change })).toThrow(message);
  });

  it('R22 escapes what JSON may hold and SQS does not take', () => {
    expect(outboxItem({ ...event, body: { a: '\uffff' } }).body).toBe('{"a":"\\uffff"}');
    expect(outboxItem({ ...event, body: '\uffff' }).body).toBe('"\\uffff"');
  });
});
