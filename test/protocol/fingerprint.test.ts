import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyFingerprint, FINGERPRINT_VERSION, fingerprint, type RequestBody } from '../../lib/protocol/fingerprint.ts';
import { problemOf } from './problem-of.ts';
import { sha256 } from './sha256.ts';

const json = (text: string): RequestBody => ({ kind: 'json', value: JSON.parse(text) });
const bytes = (text: string, mediaType = 'text/plain'): RequestBody => ({
  kind: 'bytes',
  bytes: new TextEncoder().encode(text),
  mediaType,
});

const post = (body: RequestBody, rawQuery = '', path = '/v1/transfers') =>
  fingerprint({ method: 'POST', path, rawQuery, body }, sha256);
const withQuery = (rawQuery: string) => post({ kind: 'none' }, rawQuery);
const hexOf = (text: string) => Buffer.from(sha256(text)).toString('hex');

/** What JSON.parse can give: no -0, which JSON.stringify writes as 0. */
const anyJson = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** The same value with each object's members the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('fingerprint', () => {
  it.each([
    [
      'post',
      '{"amount":500,"to":"acct_9","meta":{"x":1,"y":2}}',
      '2542abcb52dac01d45c3f2e7581565ae9acde17b8493fb17371177fd6da88913',
    ],
    [
      'post',
      '{"meta":{"y":2,"x":1},"to":"acct_9","amount":500}',
      '2542abcb52dac01d45c3f2e7581565ae9acde17b8493fb17371177fd6da88913',
    ],
    [
      'post',
      '{"amount":5000,"to":"acct_9","meta":{"x":1,"y":2}}',
      '561556801b68f51c8c3ebef95ec0dcf408082fe525175ea53f78749b4fe54336',
    ],
    [
      'POST',
      '{"amount":500,"to":"München €","meta":{"é":1,"e":null,"f":true}}',
      '0ec72998dd7ac1816ea4972794e9c2c6e7facaff0ad34dd455de00ab2edc7551',
    ],
  ])('R5 gives the known value: %s %s', (method, text, expected) => {
    expect(fingerprint({ method, path: '/v1/transfers', rawQuery: '', body: json(text) }, sha256)).toBe(expected);
  });

  it('R5 hashes nothing after the newline when there is no body', () => {
    expect(post({ kind: 'none' })).toBe(hexOf('POST /v1/transfers\n'));
  });

  it('R5 tells no body from null, from the empty text, and from no bytes', () => {
    expect(new Set([post({ kind: 'none' }), post(json('null')), post(json('""')), post(bytes(''))]).size).toBe(4);
  });

  it('C9 is the same for permuted nested members, pretty-printed or compact', () => {
    const compact = json('{"a":{"x":[1,{"p":1,"q":2}],"y":2},"b":1}');
    const pretty = json('{\n  "b": 1.0,\n  "a": { "y": 2, "x": [ 1, { "q": 2, "p": 1 } ] }\n}');
    expect(post(pretty)).toBe(post(compact));
  });

  it('R5 is the same for any order of members', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(post({ kind: 'json', value: reversed(value) })).toBe(post({ kind: 'json', value }));
      }),
    );
  });

  it('R5 is different for different values', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(post({ kind: 'json', value: a }) === post({ kind: 'json', value: b })).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it('R5 keeps the order of array elements', () => {
    expect(post(json('[1,2]'))).not.toBe(post(json('[2,1]')));
  });

  it('C19 sees members named __proto__', () => {
    const one = json('{"x":1,"__proto__":{"amount":5}}');
    expect(post(one)).not.toBe(post(json('{"x":1,"__proto__":{"amount":500}}')));
    expect(post(one)).not.toBe(post(json('{"x":1}')));
    expect(post(one)).toBe(hexOf('POST /v1/transfers\n{"__proto__":{"amount":5},"x":1}'));
  });

  it('R5 sees members named toJSON, constructor and hasOwnProperty', () => {
    for (const name of ['toJSON', 'constructor', 'hasOwnProperty']) {
      expect(post(json(`{"${name}":1}`))).toBe(hexOf(`POST /v1/transfers\n{"${name}":1}`));
    }
  });

  it('C21 is the same for bytes that came as base64 and for the same bytes plain', () => {
    const body: RequestBody = { kind: 'bytes', bytes: Buffer.from('aGVsbG8=', 'base64'), mediaType: 'text/plain' };
    expect(post(body)).toBe(post(bytes('hello')));
  });

  it('R6 tells bodies that are not JSON apart by bytes and by media type', () => {
    const prints = [
      post(bytes('hello')),
      post(bytes('hellp')),
      post(bytes('hello', 'text/html')),
      post(bytes('n\nhello', 'text/plai')),
      post(json('"hello"')),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('R5 sorts query pairs by name and keeps the order within one name', () => {
    expect(withQuery('b=2&a=1')).toBe(withQuery('a=1&b=2'));
    expect(withQuery('b=2&a=1')).toBe(hexOf('POST /v1/transfers?a=1&b=2\n'));
    expect(withQuery('a=2&a=1')).not.toBe(withQuery('a=1&a=2'));
    expect(withQuery('a=2&b=0&a=1')).toBe(hexOf('POST /v1/transfers?a=2&a=1&b=0\n'));
  });

  it('R5 sorts as many pairs as come, and by the name alone', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'B', 'a-b', ''), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(names, (received) => {
        const pairs = received.map((name, index) => `${name}=${1_000 - index}`);
        const byName = [...new Set(received)].sort().flatMap((name) => pairs.filter((_, at) => received[at] === name));
        expect(withQuery(pairs.join('&'))).toBe(hexOf(`POST /v1/transfers?${byName.join('&')}\n`));
      }),
    );
  });

  it('R5 takes the query raw: split at the first =, not decoded, sorted in code units', () => {
    expect(withQuery('a=1=2&a=0')).toBe(hexOf('POST /v1/transfers?a=1=2&a=0\n'));
    expect(withQuery('%61=1')).not.toBe(withQuery('a=1'));
    expect(withQuery('a=+')).not.toBe(withQuery('a=%20'));
    expect(withQuery('a-b=1&a=2')).toBe(hexOf('POST /v1/transfers?a=2&a-b=1\n'));
    expect(withQuery('b=1&Z=1')).toBe(hexOf('POST /v1/transfers?Z=1&b=1\n'));
    expect(withQuery('flag')).not.toBe(withQuery('flag='));
  });

  it('R5 depends on method, path and query', () => {
    const get = fingerprint({ method: 'GET', path: '/v1/transfers', rawQuery: '', body: { kind: 'none' } }, sha256);
    const prints = [get, post({ kind: 'none' }), post({ kind: 'none' }, '', '/v1/other'), withQuery('a=1')];
    expect(new Set(prints).size).toBe(4);
  });

  it('R5 does not decode the path again', () => {
    expect(post({ kind: 'none' }, '', '/a%20b')).toBe(hexOf('POST /a%20b\n'));
    expect(post({ kind: 'none' }, '', '/a%20b')).not.toBe(post({ kind: 'none' }, '', '/a b'));
  });

  it('R5 tells a ? or a line break inside a decoded path from the query and the body', () => {
    expect(post({ kind: 'none' }, '', '/a?b=1')).not.toBe(post({ kind: 'none' }, 'b=1', '/a'));
    expect(post({ kind: 'none' }, '', '/a\n{}')).not.toBe(post(json('{}'), '', '/a'));
    expect(post({ kind: 'none' }, '', '/a?b?')).toBe(hexOf('POST /a%3Fb%3F\n'));
    expect(post({ kind: 'none' }, '', '/a\n1\n')).toBe(hexOf('POST /a%0A1%0A\n'));
  });

  it('R5 understands the version it writes and says so of any other', () => {
    const request = { method: 'POST', path: '/', rawQuery: '', body: { kind: 'none' } as const };
    expect(fingerprint(request, sha256, FINGERPRINT_VERSION)).toBe(fingerprint(request, sha256));
    expect(problemOf(() => fingerprint(request, sha256, 7))).toMatchObject({
      code: 'internal-error',
      message: expect.stringContaining('version 7'),
    });
  });

  it('R5 refuses undefined as a JSON body instead of taking it for none', () => {
    expect(problemOf(() => post({ kind: 'json', value: undefined }))).toMatchObject({
      code: 'internal-error',
      message: 'A JSON body must be a JSON value, not undefined.',
    });
  });
});

describe('bodyFingerprint', () => {
  it.each([
    ['JSON by its value', json('{"b":1,"a":2}'), '{"a":2,"b":1}'],
    ['other bytes with their media type', bytes('a b'), 'bytes 10:text/plain\na b'],
    ['no body', { kind: 'none' } as const, ''],
  ])('R25 hashes %s', (_, body, text) => {
    expect(bodyFingerprint(body, sha256)).toBe(hexOf(text));
  });
});
