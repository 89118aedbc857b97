import { expect, it } from 'vitest';
import { EVERY_OPERATION, METRICS } from '../../lib/protocol/counters.ts';

it('R38 keeps the names under which dashboards and alarms look', () => {
  expect(METRICS).toEqual({ namespace: 'Semel', service: 'service', operation: 'operation' });
  expect(EVERY_OPERATION).toBe('all');
});
