import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemSize } from '../../lib/protocol/item-size.ts';
import type { Effect, Item } from '../../lib/protocol/plan.ts';
import { checkPlan } from '../../lib/protocol/plan-limits.ts';
import { problemOf } from './problem-of.ts';

const put = (item: Item, table?: string): Effect => ({ Put: { Item: item, ...(table && { TableName: table }) } });
const update = (key: Item, values: Item = {}): Effect => ({
  Update: { Key: key, UpdateExpression: 'SET a = :a', ExpressionAttributeValues: values },
});
const remove = (key: Item, table?: string): Effect => ({ Delete: { Key: key, ...(table && { TableName: table }) } });
const check = (key: Item): Effect => ({ ConditionCheck: { Key: key, ConditionExpression: 'attribute_exists(pk)' } });

const refusalOf = (...effects: Effect[]) => {
  const problem = problemOf(() => checkPlan(effects, 'wallet'));
  expect(problem.code).toBe('internal-error');
  return problem.message;
};
const passes = (...effects: Effect[]) => expect(() => checkPlan(effects, 'wallet')).not.toThrow();

describe('checkPlan', () => {
  it('R22 takes a plan for different items', () => {
    passes();
    passes(
      update({ pk: 'a', sk: 'balance' }),
      update({ pk: 'b', sk: 'balance' }),
      put({ pk: 'a', sk: 'entry#1', amount: 5 }),
    );
  });

  it.each([
    ['a Put and an Update', put({ pk: 'a', sk: '1', x: 1 }), update({ pk: 'a', sk: '1' })],
    ['an Update and a Delete', update({ pk: 'a' }), remove({ pk: 'a' })],
    ['a ConditionCheck and an Update', check({ pk: 'a' }), update({ pk: 'a' })],
    ['two Puts, guessed by pk and sk', put({ pk: 'a', sk: '1', x: 1 }), put({ pk: 'a', sk: '1', x: 2 })],
    ['two Puts, guessed by pk alone', put({ pk: 'a', x: 1 }), put({ pk: 'a', x: 2 })],
    ['keys in another order', update({ pk: 'a', sk: '1' }), update({ sk: '1', pk: 'a' })],
    ['a table named and left out', remove({ pk: 'a' }, 'wallet'), update({ pk: 'a' })],
    ['binary keys', update({ pk: Uint8Array.of(1) }), remove({ pk: Uint8Array.of(1) })],
  ])('C50 refuses two writes on one item: %s', (_, a, b) => {
    expect(refusalOf(put({ pk: 'other', sk: '1' }, 'elsewhere'), a, b)).toContain('Effects 1 and 2 both write');
  });

  it('C50 names the item and the table', () => {
    expect(refusalOf(update({ pk: 'acct_1' }), remove({ pk: 'acct_1' }))).toContain('{"pk":"acct_1"} of wallet');
    expect(refusalOf(update({ pk: 1n }), remove({ pk: 1n }))).toContain('{"pk":"1"} of wallet');
  });

  it('C50 knows the key of a Put from another effect on its table', () => {
    expect(refusalOf(put({ id: 'a', pk: 1 }), put({ id: 'a', pk: 2 }), remove({ id: 'b' }))).toContain(
      'Effects 0 and 1',
    );
    passes(put({ id: 'a', pk: 1 }), put({ id: 'b', pk: 1 }), remove({ id: 'c' }));
  });

  it('C50 takes two Puts on a table whose key nothing tells, unless they are the same', () => {
    passes(put({ id: 'a', seat: 1 }, 'seats'), put({ id: 'b', seat: 1 }, 'seats'));
    expect(refusalOf(put({ id: 'a' }, 'seats'), put({ id: 'a' }, 'seats'))).toContain('Effects 0 and 1 both write');
  });

  it('C50 tells items apart by table, by type and by bytes', () => {
    passes(remove({ pk: 'a' }, 'one'), remove({ pk: 'a' }, 'two'));
    passes(remove({ pk: '1' }), update({ pk: 1 }));
    passes(update({ pk: Buffer.of(0xff) }), update({ pk: Buffer.of(0xfe) }));
    passes(put({ pk: 'a', sk: '1' }), put({ pk: 'a', sk: '2' }));
  });

  it('R22 takes 99 effects and refuses 100, since the record is one of DynamoDB’s 100', () => {
    const effects = Array.from({ length: 100 }, (_, index) => update({ pk: `a${index}` }));
    passes(...effects.slice(1));
    expect(refusalOf(...effects)).toContain('at most 99 effects, this one has 100');
  });

  it('R22 takes an item of 400 KB and refuses one byte more', () => {
    passes(put({ pk: 'a', x: 'x'.repeat(409_600 - 4) }));
    expect(refusalOf(put({ pk: 'b' }), put({ pk: 'a', x: 'x'.repeat(409_600 - 3) }))).toMatch(
      /Effect 1 writes \{"pk":"a"\} of wallet with 409601 bytes/,
    );
  });

  it('R22 counts what an update brings, but not what only a condition compares', () => {
    expect(refusalOf(update({ pk: 'a' }, { ':a': 'x'.repeat(409_600) }))).toContain('bytes');
    passes({
      Delete: {
        Key: { pk: 'a' },
        ConditionExpression: 'a = :a',
        ExpressionAttributeValues: { ':a': 'x'.repeat(409_600) },
      },
    });
  });

  it('R22 takes 4 MB in all and refuses one byte more', () => {
    const large = Array.from({ length: 11 }, (_, index) =>
      put({ pk: String.fromCharCode(97 + index), x: 'x'.repeat(380_000 - 4) }),
    );
    const rest = 4 * 1_024 * 1_024 - 11 * 380_000;
    passes(...large, put({ pk: 'z', x: 'x'.repeat(rest - 4) }));
    expect(refusalOf(...large, put({ pk: 'z', x: 'x'.repeat(rest - 3) }))).toContain('write 4194305 bytes');
  });
});

describe('itemSize', () => {
  it.each<[string, Item, number]>([
    [
      'characters at the edges of a length',
      { a: '\x7f\x80\u07ff\u0800\ud7ff\ue000\u{10000}\u{10ffff}' },
      1 + 1 + 2 + 2 + 3 + 3 + 3 + 4 + 4,
    ],
    ['texts by their UTF-8 bytes', { ä: '€😀é' }, 2 + 3 + 4 + 2],
    [
      'numbers by pairs of significant digits',
      { n: 12_345, m: -1_000, z: 0, f: 0.005, o: 10_001 },
      1 + 4 + (1 + 3) + (1 + 1) + (1 + 2) + (1 + 4),
    ],
    ['whole numbers beyond a double', { n: 123_456_789_012_345_678n }, 1 + 10],
    ['numbers without their exponent', { n: 1.5e301, m: 1.5e-7 }, 1 + 2 + (1 + 2)],
    ['null and truth', { a: null, b: true, c: false }, 6],
    ['bytes', { a: Uint8Array.of(1, 2, 3) }, 4],
    [
      'lists and maps with their overhead',
      { l: ['ab', ['c']], m: { k: 'v' } },
      1 + 3 + (1 + 2) + (1 + 3 + (1 + 1)) + (1 + 3 + 1 + 2),
    ],
    ['sets', { s: new Set(['ab', 'cdefg']) }, 1 + 2 + 5],
    ['Maps as maps', { m: new Map([['k', 'v']]) }, 1 + 3 + 1 + 2],
    ['nothing for undefined', { a: undefined }, 0],
  ])('R22 counts %s', (_, item, size) => {
    expect(itemSize(item)).toBe(size);
  });

  it('R22 counts texts as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(itemSize({ a: text })).toBe(1 + Buffer.byteLength(text.toWellFormed()));
      }),
    );
  });
});
