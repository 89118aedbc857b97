import { describe, expect, it } from 'vitest';
import { parseIJson } from '../../lib/protocol/i-json.ts';
import { parseIdempotencyKey } from '../../lib/protocol/key.ts';
import { parsePrefer } from '../../lib/protocol/prefer.ts';
import { problemOf } from './problem-of.ts';

const blanks = ' '.repeat(100_000);

/** Whatever grows with the square of its input takes many seconds for these. */
function elapsed(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

describe('linear time', () => {
  it.each([
    ['brackets', '['.repeat(262_144)],
    ['nested arrays', '['.repeat(131_072) + ']'.repeat(131_072)],
    ['nested objects', '{"":'.repeat(65_000)],
    ['backslashes', `"${'\\\\'.repeat(131_000)}" x`],
    ['quotes', '"'.repeat(262_144)],
    ['escaped quotes', `"${'\\"'.repeat(131_000)}`],
    ['digits', `${'1'.repeat(262_144)}`],
    ['members', `{${Array.from({ length: 30_000 }, (_, index) => `"${index}":0`).join()},"0":0}`],
    ['escaped members', `{${Array.from({ length: 20_000 }, (_, index) => `"\\u0061${index}":0`).join()},"a0":0}`],
  ])('R6 refuses 256 KB of %s in it, without running out of stack', (_, text) => {
    expect(elapsed(() => expect(problemOf(() => parseIJson(text)).code).toBe('invalid-body'))).toBeLessThan(1_000);
  });

  it('R1 refuses a key with long white space in it', () => {
    const refuse = () => problemOf(() => parseIdempotencyKey([`a${blanks}b`]));
    expect(elapsed(() => expect(refuse().code).toBe('idempotency-key-invalid'))).toBeLessThan(200);
  });

  it.each([
    ['quotes and backslashes', '"\\"'.repeat(100_000)],
    ['blanks inside a name', `a${blanks}b`],
    ['blanks after a quote', `a="${blanks}`],
    ['blanks before a quote', `a=${blanks}"`],
  ])('R18 ignores a preference of %s in it', (_, text) => {
    expect(elapsed(() => expect(parsePrefer([text])).toEqual({ respondAsync: false }))).toBeLessThan(1_000);
  });
});
