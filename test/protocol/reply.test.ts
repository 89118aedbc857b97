import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_REPLY_BYTES,
  replySize,
  serializeReply,
  storedHeaders,
  withinReplyLimit,
} from '../../lib/protocol/reply.ts';
import { problemOf } from './problem-of.ts';

const bodyOf = (body: unknown) => serializeReply({ status: 200, body }).body;
const refusalOf = (body: unknown) => problemOf(() => bodyOf(body)).message;

class Money {
  readonly amount = 5;
}

describe('serializeReply', () => {
  it('R17 writes a value as JSON once', () => {
    expect(serializeReply({ status: 201, headers: { Location: '/t/1' }, body: { b: 1, a: [null, true] } })).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json', location: '/t/1' },
      body: '{"b":1,"a":[null,true]}',
    });
  });

  it('R17 keeps texts and bytes as they are', () => {
    expect(serializeReply({ status: 200, body: ' {"a": 1} ' })).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: ' {"a": 1} ',
    });
    expect(serializeReply({ status: 200, body: Uint8Array.of(0, 255) })).toEqual({
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: Uint8Array.of(0, 255),
    });
  });

  it('R17 lets the handler name the content type, in any case', () => {
    const reply = serializeReply({ status: 200, headers: { 'CONTENT-TYPE': 'application/vnd.a+json' }, body: {} });
    expect(reply.headers).toEqual({ 'content-type': 'application/vnd.a+json' });
  });

  it('R17 has no body and no content type where the handler gives none', () => {
    expect(serializeReply({ status: 204 })).toStrictEqual({ status: 204, headers: {}, body: undefined });
    expect(serializeReply({ status: 200, body: null }).body).toBe('null');
  });

  it('R17 is not changed by a handler that writes into its buffer or object later', () => {
    const buffer = Buffer.from('ab');
    const value = { a: 1 };
    const [bytes, text] = [bodyOf(buffer), bodyOf(value)];
    buffer[0] = 0;
    value.a = 2;
    expect(bytes).toEqual(new TextEncoder().encode('ab'));
    expect(text).toBe('{"a":1}');
  });

  it.each([199, 600, 200.5, Number.NaN, '201' as unknown as number])('R17 refuses the status %s', (status) => {
    expect(problemOf(() => serializeReply({ status }))).toMatchObject({
      code: 'internal-error',
      message: `A reply's status must be a whole number from 200 to 599, not ${status}.`,
    });
  });

  it.each([200, 599])('R17 takes the status %s', (status) => {
    expect(serializeReply({ status }).status).toBe(status);
  });

  it('R20 refuses a text that UTF-8 cannot carry', () => {
    expect(problemOf(() => bodyOf('\ud800'))).toMatchObject({
      code: 'internal-error',
      message: 'The reply is a text with a lone surrogate: use toWellFormed() on it.',
    });
  });

  it('C40 drops undefined members and writes dates as ISO text', () => {
    expect(bodyOf({ a: undefined, at: new Date(0), inner: { b: undefined } })).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","inner":{}}',
    );
  });

  it('C40 lets a class instance speak by its toJSON, called with its member name', () => {
    const price = { toJSON: (key: string) => ({ [key]: new Date(0) }) };
    expect(bodyOf({ price })).toBe('{"price":{"price":"1970-01-01T00:00:00.000Z"}}');
    expect(bodyOf([new URL('https://a.example/')])).toBe('["https://a.example/"]');
  });

  it.each([
    ['NaN', { items: [{ total: Number.NaN }] }, 'body.items[0].total is NaN; send null, or leave it out'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'body[0] is Infinity; send null, or leave it out'],
    ['a BigInt', { id: 1n }, 'body.id is a BigInt; send its decimal text'],
    ['a function', { run: () => 1 }, 'body.run is a function; leave it out'],
    ['a symbol', { s: Symbol('s') }, 'body.s is a symbol; leave it out'],
    ['an invalid Date', { at: new Date('x') }, 'body.at is an invalid Date; send a valid one'],
    ['a class instance', { price: new Money() }, 'body.price is a Money; give it a toJSON() or send a plain object'],
    ['a Map', { m: new Map([[1, 2]]) }, 'body.m is a Map; give it a toJSON() or send a plain object'],
    ['a Set', new Set([1]), 'body is a Set; give it a toJSON() or send a plain object'],
    ['a Promise', { p: Promise.resolve(1) }, 'body.p is a Promise; give it a toJSON() or send a plain object'],
    ['bytes inside JSON', { b: Uint8Array.of(1) }, 'body.b is a Uint8Array; give it a toJSON() or send a plain object'],
    [
      'undefined in an array',
      { list: [1, undefined] },
      'body.list[1] is undefined; send null, or leave the element out',
    ],
    ['a hole in an array', Array(1), 'body[0] is undefined; send null, or leave the element out'],
    ['NaN behind toJSON', { a: { toJSON: () => Number.NaN } }, 'body.a is NaN; send null, or leave it out'],
  ])('C40 refuses %s and names the place', (_, body, message) => {
    expect(problemOf(() => bodyOf(body))).toMatchObject({
      code: 'internal-error',
      message: `The reply cannot be written as JSON: ${message}.`,
    });
  });

  it('C40 refuses cycles, through members, arrays and toJSON', () => {
    const loop: Record<string, unknown> = {};
    loop.self = [loop];
    const own: object = { toJSON: () => own };
    expect(refusalOf(loop)).toContain('body.self[0] contains itself; send an id instead');
    expect(refusalOf(own)).toContain('body contains itself');
  });

  it('C40 takes one object in two places, and members named __proto__', () => {
    const shared = { x: 1 };
    expect(bodyOf({ a: shared, b: [shared, shared] })).toBe('{"a":{"x":1},"b":[{"x":1},{"x":1}]}');
    expect(bodyOf(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
    expect(bodyOf(Object.assign(Object.create(null), { x: 1 }))).toBe('{"x":1}');
  });

  it('R20 keeps what is falsy, and a toJSON that is only a member', () => {
    expect(bodyOf({ n: 0, m: -0, s: '', f: false, z: null })).toBe('{"n":0,"m":0,"s":"","f":false,"z":null}');
    expect(bodyOf({ toJSON: 1 })).toBe('{"toJSON":1}');
  });

  it('R20 writes plain JSON values as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(typeof value !== 'string');
        expect(bodyOf(value)).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe('storedHeaders', () => {
  it('C24 drops what belongs to one answer only', () => {
    const headers = {
      'Content-Type': 'a/b',
      LOCATION: '/x',
      ETag: '"1"',
      'content-language': 'de',
      'Set-Cookie': 'sid=1',
      'Access-Control-Allow-Origin': '*',
      Authorization: 'Bearer x',
      'Content-Length': '3',
    };
    expect(storedHeaders(headers)).toEqual({
      'content-type': 'a/b',
      location: '/x',
      etag: '"1"',
      'content-language': 'de',
    });
  });

  it.each(['/a\r\nSet-Cookie: x=1', '/a\n', '/a\r', '/a\0'])('R17 refuses %j in a stored value', (Location) => {
    expect(problemOf(() => storedHeaders({ Location }))).toMatchObject({
      code: 'internal-error',
      message: 'The header Location holds a line break or NUL: encode its value.',
    });
  });

  it('R17 refuses headers that no gateway would send', () => {
    expect(storedHeaders({ Location: 'x'.repeat(8_192) })).toBeDefined();
    expect(storedHeaders({ Location: 'x'.repeat(8_191), ETag: '1' })).toBeDefined();
    expect(problemOf(() => storedHeaders({ Location: 'x'.repeat(8_192), ETag: '1' }))).toMatchObject({
      code: 'internal-error',
      message: "The reply's headers are longer than 8192 bytes.",
    });
  });
});

describe('withinReplyLimit', () => {
  it('R20 counts bytes, not characters', () => {
    expect(replySize(serializeReply({ status: 200, body: '€' }))).toBe(3);
    expect(replySize(serializeReply({ status: 200, body: Uint8Array.of(1, 2) }))).toBe(2);
    expect(replySize(serializeReply({ status: 204 }))).toBe(0);
  });

  it('R20 ends at 256 KB', () => {
    expect(withinReplyLimit(serializeReply({ status: 200, body: 'x'.repeat(MAX_REPLY_BYTES) }))).toBe(true);
    expect(withinReplyLimit(serializeReply({ status: 200, body: 'x'.repeat(MAX_REPLY_BYTES + 1) }))).toBe(false);
    expect(withinReplyLimit(serializeReply({ status: 200, body: '€'.repeat(87_382) }))).toBe(false);
  });
});
