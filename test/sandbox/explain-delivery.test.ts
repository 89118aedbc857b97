import { describe, expect, it } from 'vitest';
import { explainResend } from '../../lib/sandbox/explain-delivery.ts';

describe('explainResend', () => {
  const applied = { appliedUpTo: 4, total: 40, expected: 5, gaps: [] };
  const about = (...parked: number[]) => explainResend({ left: 0, resent: [], parked }, applied).text;

  it('R41 speaks of one dead letter that stays, and of several', () => {
    expect(about()).not.toContain('dead letter');
    // A sender that was forgotten had got further.
    expect(about(7)).not.toContain('dead letter');
    expect(about(3)).toContain(
      'The dead letter of 3 stays, though its number was applied by now: sent back to its queue it would be a duplicate.',
    );
    expect(about(3, 4)).toContain(
      'The dead letters of 3, 4 stay, though their numbers were applied by now: sent back to their queue they would be duplicates.',
    );
  });
});
