import { describe, expect, it } from 'vitest';
import { viewInbox } from '../../lib/protocol/inbox.ts';

describe('viewInbox', () => {
  it('R29 shows a sender that was never seen at 0', () => {
    expect(viewInbox(undefined)).toEqual({ appliedUpTo: 0, expected: 1, gaps: [], sums: {}, state: undefined });
  });

  it('R29 shows what is applied, what is missing, and what the messages made', () => {
    const inbox = { pk: 'inbox#c#x', schemaVersion: 1, last: 3, sums: { total: 24 }, state: { open: true } };
    expect(viewInbox({ ...inbox, parked: new Set([5, 2]) })).toEqual({
      appliedUpTo: 3,
      expected: 4,
      gaps: [{ from: 4, to: 4 }],
      sums: { total: 24 },
      state: { open: true },
    });
  });
});
