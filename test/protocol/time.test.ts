import { describe, expect, it } from 'vitest';
import { isDate } from '../../lib/protocol/time.ts';

describe('isDate', () => {
  it.each(['2026-11-30', '2024-02-29', '0001-01-01'])('R33 takes %s', (text) => {
    expect(isDate(text)).toBe(true);
  });

  it.each(['2026-02-30', '2026-13-01', '2026-11-30T00:00:00Z', ' 2026-11-30', '26-11-30', '2026-1-3', 'today', ''])(
    'R33 refuses %j',
    (text) => {
      expect(isDate(text)).toBe(false);
    },
  );
});
