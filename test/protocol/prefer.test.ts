import { describe, expect, it } from 'vitest';
import { appliedWait, parsePrefer, waitBudget } from '../../lib/protocol/prefer.ts';
import { milliseconds } from '../../lib/protocol/time.ts';

const none = { respondAsync: false };

describe('parsePrefer', () => {
  it.each([
    [['wait=10'], { wait: 10, respondAsync: false }],
    [['respond-async'], { respondAsync: true }],
    [['respond-async, wait=10'], { wait: 10, respondAsync: true }],
    [['wait=10', 'respond-async'], { wait: 10, respondAsync: true }],
    [['WAIT=3, Respond-Async'], { wait: 3, respondAsync: true }],
    [['wait = 3'], { wait: 3, respondAsync: false }],
    [['wait="3"'], { wait: 3, respondAsync: false }],
    [['wait=3; foo=bar, respond-async ; x="a,b;c"'], { wait: 3, respondAsync: true }],
    [['respond-async=""'], { respondAsync: true }],
    [['return=minimal, foo; bar="wait=9, \\" respond-async", wait=3'], { wait: 3, respondAsync: false }],
    [['x="a", wait=3'], { wait: 3, respondAsync: false }],
    [['x="ab", wait=3'], { wait: 3, respondAsync: false }],
    [['x="a, wait=9, b", wait=3'], { wait: 3, respondAsync: false }],
    [['x="\\", wait=9, \\"", wait=3'], { wait: 3, respondAsync: false }],
    [['wait=3, wait=9'], { wait: 3, respondAsync: false }],
    [[',,wait=3,'], { wait: 3, respondAsync: false }],
    [['wait=007'], { wait: 7, respondAsync: false }],
  ])('R18 reads %j', (values, preference) => {
    expect(parsePrefer(values)).toEqual(preference);
  });

  it.each([
    [[]],
    [['']],
    [['wait']],
    [['wait=']],
    [['wait=-1']],
    [['wait=1.5']],
    [['wait=soon']],
    [['wait 3']],
    [['wait="3']],
    [['wait=1"3"']],
    [['wait="1"3']],
    [['wait=1=5']],
    [['respond-async=yes']],
    [['respond-async==']],
    [['"respond-async"']],
    [['handling=lenient']],
  ])('R18 ignores what is unknown or malformed: %j', (values) => {
    expect(parsePrefer(values)).toStrictEqual(none);
  });

  it('R18 takes wait=0 as if absent', () => {
    expect(parsePrefer(['wait=0'])).toEqual(none);
    expect(parsePrefer(['respond-async, wait=0'])).toEqual({ respondAsync: true });
  });

  it('R18 stays finite for an absurd wish', () => {
    expect(parsePrefer([`wait=${'9'.repeat(1_000)}`]).wait).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('waitBudget', () => {
  const budget = (wait: number | undefined, remaining: number) => waitBudget(wait, milliseconds(remaining));

  it('R18 is what the client asked for, at most 15 s, and 2 s less than remain', () => {
    expect(budget(3, 25_000)).toBe(3_000);
    expect(budget(60, 25_000)).toBe(15_000);
    expect(budget(60, 10_000)).toBe(8_000);
  });

  it('R18 is nothing when nothing is asked for or left', () => {
    expect(budget(undefined, 25_000)).toBe(0);
    expect(budget(10, 1_500)).toBe(0);
    expect(budget(10, 0)).toBe(0);
  });
});

describe('appliedWait', () => {
  it.each([
    [3, 'wait=3'],
    [60, 'wait=15'],
    [undefined, 'wait=0'],
  ])('R18 of %s is %s: what was waited at most', (wait, applied) => {
    expect(appliedWait(wait)).toBe(applied);
  });
});
