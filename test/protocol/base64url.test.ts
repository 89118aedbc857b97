import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64Url, toBase64Url } from '../../lib/protocol/base64url.ts';
import { toHex } from '../../lib/protocol/hex.ts';

describe('base64url and hexadecimal', () => {
  it('R11 agree with Node', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(toBase64Url(bytes)).toBe(text);
        expect(fromBase64Url(text)).toEqual(bytes);
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
      }),
    );
  });

  it('R11 use the whole alphabet', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    expect(toBase64Url(fromBase64Url(alphabet) ?? new Uint8Array())).toBe(alphabet);
  });

  it.each([
    ['an impossible length', 'A'],
    ['another impossible length', 'AAAAA'],
    ['left-over bits that are set, after one byte', 'AB'],
    ['left-over bits that are set, after two bytes', 'AAB'],
    ['padding', 'AA=='],
    ['the other alphabet', '+/AA'],
    ['white space', 'AA A'],
    ['a line break', 'AAA\n'],
    ['a letter beyond ASCII', 'äAAA'],
    ['an invalid character in the middle', 'AA!A'],
  ])('R11 refuse %s', (_, text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});
