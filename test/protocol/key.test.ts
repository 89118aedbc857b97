import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIdempotencyKey } from '../../lib/protocol/key.ts';
import { problemOf } from './problem-of.ts';

const codeOf = (...values: string[]) => problemOf(() => parseIdempotencyKey(values)).code;
const messageOf = (...values: string[]) => problemOf(() => parseIdempotencyKey(values)).message;
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 255,
});

describe('parseIdempotencyKey', () => {
  it.each([
    ['bare', 'abc', 'abc'],
    ['quoted', '"abc"', 'abc'],
    [
      'a bare UUID that starts with a digit',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
    ],
    ['trimmed', ' \t abc \t ', 'abc'],
    ['quoted and trimmed', '  "abc"\t', 'abc'],
    ['every bare character at the edges of the allowed ranges', '!#+-:<[]~', '!#+-:<[]~'],
    ['quoted spaces, commas, semicolons', '" a, b; c "', ' a, b; c '],
    ['escapes', String.raw`"say \"hi\" \\ bye"`, String.raw`say "hi" \ bye`],
    ['one character', 'a', 'a'],
    ['255 characters bare', 'k'.repeat(255), 'k'.repeat(255)],
    ['255 characters after unescaping', `"${'\\\\'.repeat(255)}"`, '\\'.repeat(255)],
  ])('R1 reads %s', (_, value, key) => {
    expect(parseIdempotencyKey([value])).toBe(key);
  });

  it.each([
    ['an empty value', ''],
    ['an empty quoted string', '""'],
    ['white space only', ' \t'],
    ['a lone quote', '"'],
    ['an unclosed quote', '"abc'],
    ['a quote inside', 'a"b'],
    ['256 characters', 'k'.repeat(256)],
    ['256 characters quoted', `"${'k'.repeat(256)}"`],
    ['a list', 'a,b'],
    ['a list of strings', '"a", "b"'],
    ['parameters', '"a";v=1'],
    ['parameters on a bare key', 'a;v=1'],
    ['a newline', 'a\nb'],
    ['a trailing newline', 'a\n'],
    ['a trailing newline after a string', '"a"\n'],
    ['a newline inside a string', '"a\nb"'],
    ['a bare space', 'a b'],
    ['a bare backslash', 'a\\b'],
    ['another escape', String.raw`"a\n"`],
    ['a backslash at the end', '"a\\"'],
    ['a tab inside a string', '"a\tb"'],
    ['DEL', 'a\x7f'],
    ['a character beyond ASCII', 'é'],
    ['a quoted character beyond ASCII', '"é"'],
    ['a non-breaking space around', '\u00a0a'],
    ['text after the string', '"a"b'],
    ['a number with a sign that is a list', '1,2'],
  ])('C41 refuses %s', (_, value) => {
    expect(codeOf(value)).toBe('idempotency-key-invalid');
  });

  it('R1 refuses a repeated header, even with equal values', () => {
    expect(codeOf('a', 'a')).toBe('idempotency-key-invalid');
  });

  it.each([
    ['that it came twice', ['a', 'b'], 'it was sent more than once'],
    ['its form, without showing it', ['secret,key'], 'it is neither one quoted string nor one bare word'],
    ['that nothing is in it', ['""'], 'it is empty'],
    ['its length', ['k'.repeat(256)], 'it has 256 characters'],
  ])('R1 says what is wrong with a key, and what to send: %s', (_, values, what) => {
    expect(messageOf(...values)).toBe(
      `The Idempotency-Key cannot be used: ${what}. Send 1 to 255 printable ASCII characters, as "text" or bare.`,
    );
  });

  it('R2 tells a missing key from an invalid one', () => {
    expect(codeOf()).toBe('idempotency-key-missing');
    expect(messageOf()).toBe('Send an Idempotency-Key header: one new value per intent.');
  });

  it('R1 reads back every printable text that was written as an RFC 9651 string', () => {
    fc.assert(
      fc.property(printable, (key) => {
        expect(parseIdempotencyKey([`"${key.replace(/["\\]/g, '\\$&')}"`])).toBe(key);
      }),
    );
  });

  it('R1 reads bare and quoted spellings as the same key', () => {
    fc.assert(
      fc.property(
        printable.filter((key) => !/[ ",;\\]/.test(key)),
        (key) => {
          expect(parseIdempotencyKey([key])).toBe(parseIdempotencyKey([`"${key}"`]));
        },
      ),
    );
  });
});
