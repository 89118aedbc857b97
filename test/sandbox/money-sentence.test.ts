import { describe, expect, it } from 'vitest';
import { moneySentence } from '../../lib/sandbox/money-panel.ts';

const moved = (...times: number[]) => times.map((one) => ({ times: one, amount: one * 2_000 }));

describe('the sentence about the money', () => {
  it.each([
    ['Money moved 0 times for 0 payments.', []],
    ['Money moved once for 1 payment.', [1]],
    ['Money moved twice for 1 payment.', [2]],
    ['Money moved once for 2 payments.', [1, 0]],
    ['Money moved 3 times for 2 payments: 1 was charged more than once.', [1, 2]],
    ['Money moved 3 times for 3 payments: 1 was charged more than once, and 1 not at all.', [2, 1, 0]],
    ['Money moved 5 times for 4 payments: 2 were charged more than once, and 2 not at all.', [2, 3, 0, 0]],
  ])('is: %s', (sentence, times) => {
    expect(moneySentence(moved(...times))).toBe(sentence);
  });
});
