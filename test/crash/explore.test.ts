import { describe, expect, it } from 'vitest';
import { describeFailure, explore } from './explorer.ts';
import { SCENARIOS } from './scenarios.ts';

process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';

describe('every schedule of calls and faults', () => {
  it.each(SCENARIOS)('R10 R11 R12 R16 R22 $name', async (scenario) => {
    const { schedules, failures } = await explore(scenario, { most: 800 });
    expect(failures.map(describeFailure)).toEqual([]);
    expect(schedules).toBeGreaterThan(100);
  });
});
