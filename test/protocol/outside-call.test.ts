import { expect, it } from 'vitest';
import { declined, notBegun, succeeded, unknown } from '../../lib/protocol/outside-call.ts';

it.each([
  ['a success with its result', succeeded('ch_1'), { kind: 'succeeded', result: 'ch_1' }],
  ['a definitive no with its reason', declined('expired-card'), { kind: 'declined', reason: 'expired-card' }],
  ['that nothing is known, and why', unknown('timeout'), { kind: 'unknown', cause: 'timeout' }],
  ['that the call did not begin', notBegun({ status: 429 }), { kind: 'not-begun', answer: { status: 429 } }],
])('R16 a call outside says %s', (_, outcome, expected) => {
  expect(outcome).toEqual(expected);
});
