import { describe, expect, it } from 'vitest';
import { plainJson } from '../../lib/protocol/plain-json.ts';
import { problemOf } from './problem-of.ts';

describe('plainJson', () => {
  it('R20 drops undefined members itself: whoever stores the copy must not meet them', () => {
    expect(plainJson({ a: undefined, b: { c: undefined } })).toStrictEqual({ b: {} });
  });

  it('R20 calls toJSON as JSON.stringify does: with the name, the index as text, or nothing at the top', () => {
    const told = { toJSON: (key: unknown) => [key] };
    expect(plainJson(told)).toEqual(['']);
    expect(plainJson({ price: told, list: [0, told] })).toEqual({ price: ['price'], list: [0, ['1']] });
  });

  it('R20 calls an instance without a class by its kind', () => {
    const odd = Object.create(Object.create(Object.create(null)));
    expect(problemOf(() => plainJson({ odd })).message).toBe(
      'The reply cannot be written as JSON: body.odd is a class instance; give it a toJSON() or send a plain object.',
    );
  });
});
