import { describe, expect, it } from 'vitest';
import { readFilter } from '../../lib/local/event-filter.ts';

const filter = (...patterns: unknown[]) =>
  readFilter('Mapping', { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) });

describe('readFilter', () => {
  it.each<[string, object, unknown, boolean]>([
    ['an equal text', { a: ['x', 'y'] }, { a: 'y' }, true],
    ['another text', { a: ['x', 'y'] }, { a: 'z' }, false],
    ['a number as text', { a: [1] }, { a: '1' }, false],
    ['null', { a: [null] }, { a: null }, true],
    ['null, absent', { a: [null] }, {}, false],
    ['every member', { a: ['x'], b: ['y'] }, { a: 'x', b: 'y' }, true],
    ['one member of two', { a: ['x'], b: ['y'] }, { a: 'x' }, false],
    ['a nested member', { a: { b: ['x'] } }, { a: { b: 'x' } }, true],
    ['an inherited member', { a: { toString: [{ exists: true }] } }, { a: {} }, false],
    ['a prefix', { a: [{ prefix: 'outbox#' }] }, { a: 'outbox#1' }, true],
    ['no prefix', { a: [{ prefix: 'outbox#' }] }, { a: 'key#1' }, false],
    ['a suffix', { a: [{ suffix: '.png' }] }, { a: 'b.png' }, true],
    ['any case', { a: [{ 'equals-ignore-case': 'Yes' }] }, { a: 'yES' }, true],
    ['what exists', { a: [{ exists: true }] }, { a: 0 }, true],
    ['what is absent', { a: [{ exists: false }] }, { b: 0 }, true],
    ['anything but one', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, true],
    ['anything but these', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'y' }, false],
    ['anything but, absent', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['a number in between', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: 5 }, true],
    ['a number outside', { a: [{ numeric: ['>', 0, '<', 5] }] }, { a: 5 }, false],
    ['one of several', { $or: [{ a: ['x'] }, { b: ['x'] }] }, { b: 'x' }, true],
    ['none of several', { $or: [{ a: ['x'] }, { b: ['x'] }] }, { c: 'x' }, false],
    ['JSON in a body', { body: { type: ['a'] } }, { body: '{"type":"a"}' }, true],
    ['a body that is no JSON', { body: { type: ['a'] } }, { body: 'type a' }, false],
    ['a body as text', { body: [{ prefix: 'type' }] }, { body: 'type a' }, true],
  ])('matches %s', (_, pattern, record, expected) => {
    expect(filter(pattern)(record)).toBe(expected);
  });

  it('lets everything pass without patterns, and what matches any of several', () => {
    expect(readFilter('Mapping', undefined)({})).toBe(true);
    expect(filter({ a: ['x'] }, { b: ['x'] })({ b: 'x' })).toBe(true);
  });

  it.each([{ a: [{ wildcard: '*' }] }, { a: [{ prefix: 'x', suffix: 'y' }] }, { a: [{ numeric: ['!', 1] }] }])(
    'refuses %j, which it does not know',
    (pattern) => {
      expect(() => filter(pattern)).toThrow('not understood here');
    },
  );
});
