import { describe, expect, it } from 'vitest';
import { decideMarker, newMarker } from '../../lib/protocol/marker.ts';
import { seconds } from '../../lib/protocol/time.ts';

describe('newMarker', () => {
  it('R25 carries the version of its shape beside what is known of the delivery', () => {
    const facts = { pk: 'msg#deposits#x', fingerprint: 'same', ownerToken: 'ours', expiresAt: seconds(60) };
    expect(newMarker(facts)).toEqual({ schemaVersion: 1, ...facts });
  });
});

describe('decideMarker', () => {
  it.each([
    ['the same event, delivered before', 'theirs', 'same', 'duplicate'],
    ['another event under the same id', 'theirs', 'other', 'event-id-reused'],
    ['its own marker, whose answer was lost', 'ours', 'same', 'applied-by-us'],
    ['its own marker, whatever it says', 'ours', 'other', 'applied-by-us'],
  ])('R25 a delivery meets %s', (_, ownerToken, fingerprint, decision) => {
    expect(decideMarker({ ownerToken, fingerprint }, { ownerToken: 'ours', fingerprint: 'same' })).toBe(decision);
  });
});
