import { describe, expect, it } from 'vitest';
import {
  checkEventId,
  checkMessage,
  fitAttributes,
  messageSize,
  messageText,
  readableAttribute,
  textAttribute,
} from '../../lib/protocol/message-limits.ts';
import { problemOf } from './problem-of.ts';

describe('messageText', () => {
  it.each([
    ['U+FFFE and U+FFFF', { a: '\ufffe\uffff' }, '{"a":"\\ufffe\\uffff"}'],
    ['a control character', { '\u0001': 1 }, '{"\\u0001":1}'],
    ['a lone surrogate', { a: '\ud800' }, '{"a":"\\ud800"}'],
    ['nothing else', { a: '\t😀\u007f\ufffd' }, '{"a":"\\t😀\u007f\ufffd"}'],
    ['in a text that is JSON already', '["\uffff"]', '["\\uffff"]'],
  ])('R22 escapes %s', (_, body, text) => {
    expect(messageText(body)).toBe(text);
    expect(JSON.parse(text)).toEqual(typeof body === 'string' ? JSON.parse(body) : body);
  });

  it('R22 escapes with four digits, and in a text whatever it is', () => {
    expect(messageText('\u0001\u0010')).toBe('\\u0001\\u0010');
  });

  it.each([
    [undefined, 'The body of a message is undefined, which is nothing in JSON: send null.'],
    [() => 1, 'The body of a message is function, which is nothing in JSON: send null.'],
    ['', 'The body of a message is empty: send null.'],
  ])('R22 refuses %s', (body, message) => {
    expect(problemOf(() => messageText(body))).toMatchObject({ code: 'internal-error', message });
  });
});

describe('checkMessage', () => {
  it('R22 refuses names that SQS would not take, and what is too large in bytes', () => {
    expect(() => checkMessage('1', { 'Semel-Event-Id': 'evt_\uffff' })).toThrow(
      'Semel-Event-Id holds a character that SQS does not take: encode it.',
    );
    expect(() => checkMessage('€'.repeat(349_526), {})).toThrow(
      'A message of 1048578 bytes is over 1048576: send where its body is kept.',
    );
    expect(() => checkMessage('x'.repeat(1_048_576), { 'Semel-Source': undefined })).not.toThrow();
    expect(() => checkMessage('x'.repeat(1_048_576), { a: 'b' })).toThrow('1048584');
  });

  it('R22 refuses an empty event id, and one that is too long in bytes', () => {
    expect(() => checkEventId('')).toThrow(
      'The id of an event is empty: give it one that stays the same however often it is sent.',
    );
    expect(() => checkEventId('é', 2)).not.toThrow();
    expect(() => checkEventId('é', 1)).toThrow('The id of an event has 2 bytes: it may have 1.');
  });
});

describe('fitAttributes', () => {
  const names = ['Zeta', 'Alpha', 'Semel-Detail', 'Semel-Later', 'Semel-Reason', 'Semel-Event-Id', 'Semel-Source'];
  const all = Object.fromEntries(names.map((name) => [name, textAttribute(name)]));
  const order = ['Semel-Source', 'Semel-Event-Id', 'Semel-Reason', 'Semel-Later', 'Semel-Detail', 'Alpha', 'Zeta'];

  it('R30 lets the producer’s own go first, from the last name on, and of Semel’s the detail', () => {
    expect(Object.keys(fitAttributes('', all))).toEqual(order);
    for (let most = order.length; most > 0; most--) {
      const room = messageSize('€', fitAttributes('', Object.fromEntries(order.slice(0, most).map(pick))));
      expect(Object.keys(fitAttributes('€', all, room))).toEqual(order.slice(0, most));
    }
  });

  it('R30 leaves room for the text, and sends ten at most', () => {
    expect(fitAttributes('x'.repeat(20), { a: textAttribute('b') }, 20)).toEqual({});
    const eleven = Object.fromEntries(Array.from('abcdefghijk', (name) => [name, textAttribute('x')]));
    expect(Object.keys(fitAttributes('', eleven))).toEqual([...'abcdefghij']);
  });

  it('R30 replaces in what people read what SQS does not take', () => {
    expect(readableAttribute('a\uffffb')).toEqual({ DataType: 'String', StringValue: 'a\ufffdb' });
  });

  it('R30 cuts the reason short before it leaves it out', () => {
    const reason = { 'Semel-Reason': textAttribute('invalid-body') };
    expect(fitAttributes('', reason, 21)).toEqual({ 'Semel-Reason': textAttribute('inv') });
    expect(fitAttributes('', reason, 18)).toEqual({});
  });

  it('R30 counts bytes of binary attributes, too, and sends no empty ones', () => {
    const binary = { DataType: 'Binary', BinaryValue: new Uint8Array(4) };
    expect(messageSize('', { a: binary })).toBe(11);
    expect(fitAttributes('', { a: binary, b: textAttribute('') }, 11)).toEqual({ a: binary });
    expect(fitAttributes('', { a: binary }, 10)).toEqual({});
  });

  const pick = (name: string) => [name, textAttribute(name)] as const;
});
