import { describe, expect, it } from 'vitest';
import { describeFailure, explore, wander } from './explorer.ts';
import { SCENARIOS } from './scenarios.ts';

process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

/** Together at least 5,000 schedules in every test run; `npm run prove` tries a million. */
const EACH = 360;

describe('schedules of calls and faults', () => {
  it.each(SCENARIOS)('R10 R11 R12 R14 R16 R22 R25 $name', async (scenario) => {
    const single = { ...scenario, budget: { faults: 1, switches: 1 } };
    const first = await explore(single, { most: EACH / 2 });
    const random = await wander(scenario, 1, { most: EACH - first.schedules });
    expect([...first.failures, ...random.failures].map(describeFailure)).toEqual([]);
    expect(first.schedules + random.schedules).toBe(EACH);
  });
});
