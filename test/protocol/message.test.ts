import { describe, expect, it } from 'vitest';
import { ALREADY_APPLIED, dedupeParts, eventIdOf, MESSAGE_ATTRIBUTES } from '../../lib/protocol/message.ts';

describe('dedupeParts', () => {
  it('R26 tells messages apart by consumer, source and event id, in this order', () => {
    expect(dedupeParts({ consumer: 'deposits', source: 'c_1', eventId: 'e' })).toEqual(['deposits', 'c_1', 'e']);
  });
});

describe('eventIdOf', () => {
  it.each([
    ['what the body says', { fromBody: 'body', attached: 'attribute' }, 'body'],
    ['what the producer attached', { fromBody: undefined, attached: 'attribute' }, 'attribute'],
    [
      'what the producer attached, before an empty id in the body',
      { fromBody: '', attached: 'attribute' },
      'attribute',
    ],
    ["the queue's own id where there is no other", { fromBody: undefined, attached: undefined }, 'm-1'],
    ["the queue's own id before empty ones", { fromBody: '', attached: '' }, 'm-1'],
  ])('R26 takes %s', (_, known, id) => {
    expect(eventIdOf({ ...known, messageId: 'm-1' })).toBe(id);
  });
});

describe('what producers and consumers agree on', () => {
  it('R26 names the attributes that older producers still send', () => {
    expect(MESSAGE_ATTRIBUTES).toEqual({
      eventId: 'Semel-Event-Id',
      source: 'Semel-Source',
      correlationId: 'Semel-Correlation-Id',
      reason: 'Semel-Reason',
      detail: 'Semel-Detail',
    });
  });

  it('R25 counts an event that came another way as a success', () => {
    expect(ALREADY_APPLIED).toEqual({ status: 200 });
  });
});
