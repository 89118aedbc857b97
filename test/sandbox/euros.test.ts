import { describe, expect, it } from 'vitest';
import { cents, euros } from '../../lib/sandbox/euros.ts';

describe('amounts', () => {
  it.each([
    ['20.5', 2_050],
    ['20', 2_000],
    ['0.01', 1],
    ['12,50', 1_250],
    [' 12.50 ', 1_250],
    ['90071992547409.91', 9_007_199_254_740_991],
  ])('reads %j as %j cents', (typed, amount) => {
    expect(cents(typed)).toBe(amount);
  });

  it.each([
    ...['', ' ', 'x', '-1', '0', '0.00', '1e3', '1,2,3', '12.50 €', '٣'].map(
      (typed) => [typed, /like 20\.00 or 20,00/] as const,
    ),
    ...['0.005', '12.5050'].map((typed) => [typed, /at most two decimals\.$/] as const),
    ...['12.505', '1,000', '1.234,50', '1,000.00', '1.000.000'].map((typed) => [typed, /nothing groups/] as const),
    ...['90071992547409.92', '9'.repeat(400)].map((typed) => [typed, /at most 90071992547409\.91\u00a0€/] as const),
  ])('refuses %j and says why', (typed, why) => {
    expect(cents(typed)).toMatch(why);
  });

  it('are written in one piece', () => {
    expect(euros(2_050)).toBe('20.50\u00a0€');
    expect(euros(9_007_199_254_740_991)).toBe('90071992547409.91\u00a0€');
  });
});
