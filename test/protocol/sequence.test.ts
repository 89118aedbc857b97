import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInboxKey, decideSequence, foldSequence, gapsAbove, inboxKey } from '../../lib/protocol/sequence.ts';
import { problemOf } from './problem-of.ts';

describe('decideSequence', () => {
  it.each([
    [0, 1, 'apply'],
    [0, 2, 'gap'],
    [2, 2, 'duplicate'],
    [2, 1, 'duplicate'],
    [2, 3, 'apply'],
    [2, 4, 'gap'],
  ])('R29 after %i, %i is: %s', (last, seq, decision) => {
    expect(decideSequence(last, seq)).toBe(decision);
  });
});

describe('foldSequence', () => {
  it('R29 moves the mark with each number that is applied', () => {
    expect(foldSequence(0, [1, 2, 2, 4, 1, 3])).toEqual({
      last: 3,
      endings: ['applied', 'applied', 'duplicate', 'gap', 'duplicate', 'applied'],
    });
  });

  it('R29 leaves the mark before what is refused', () => {
    const { last, endings } = foldSequence(4, [5, 6, 7], (index) => index !== 1);
    expect([last, endings]).toEqual([5, ['applied', 'refused', 'gap']]);
  });

  it('R29 applies every number up to the mark once and in order, whatever comes', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }), (start, numbers) => {
        const { last, endings } = foldSequence(start, numbers);
        const applied = numbers.filter((_, index) => endings[index] === 'applied');
        expect(applied).toEqual(Array.from({ length: last - start }, (_, index) => start + index + 1));
      }),
    );
  });
});

describe('gapsAbove', () => {
  it.each([
    [2, [4], [{ from: 3, to: 3 }]],
    [
      2,
      [10, 4, 7],
      [
        { from: 3, to: 3 },
        { from: 5, to: 6 },
        { from: 8, to: 9 },
      ],
    ],
    [3, [4], []],
    [5, [4], []],
    [5, [4, 7, 5], [{ from: 6, to: 6 }]],
    [0, [], []],
  ])('R29 above %i with %j parked: %j', (last, parked, gaps) => {
    expect(gapsAbove(last, parked)).toEqual(gaps);
  });
});

it('R29 senders of two sources are two senders', () => {
  const pks = [
    inboxKey({ consumer: 'c', source: 'ab', sender: 'c' }),
    inboxKey({ consumer: 'c', source: 'a', sender: 'bc' }),
  ].map(({ pk }) => pk);
  expect(new Set(pks).size).toBe(2);
});

describe('checkInboxKey', () => {
  const named = (length: number) => ({ consumer: 'c', source: 's', sender: 'é'.repeat(length) });
  const size = ({ pk }: { pk: string }) => new TextEncoder().encode(pk).length;

  it('R29 takes a key of 2,048 bytes, and refuses a longer one in words', () => {
    const most = Array.from({ length: 1_100 }, (_, length) => named(length)).filter(
      (inbox) => size(inboxKey(inbox)) <= 2_048,
    );
    expect(size(inboxKey(most.at(-1) ?? named(0)))).toBeGreaterThan(2_046);
    expect(() => checkInboxKey(most.at(-1) ?? named(0))).not.toThrow();
    const longer = named(most.length);
    expect(problemOf(() => checkInboxKey(longer))).toMatchObject({
      code: 'message-refused',
      message: `The key of this sender's inbox has ${size(inboxKey(longer))} bytes, and may have 2048: shorten the sender's name.`,
    });
  });
});
