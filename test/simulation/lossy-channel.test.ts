import { describe, expect, it } from 'vitest';
import { LossyChannel, type Troubles } from '../../lib/simulation/lossy-channel.ts';
import { seededRandom } from '../../lib/simulation/seeded-random.ts';

const COUNT = 10_000;
const QUIET: Troubles = { drop: 0, duplicate: 0, reorder: 0 };

/** What arrives of the numbers 0, 1, …, each sent in a round of its own. */
function arrivals(troubles: Partial<Troubles>): number[] {
  const channel = new LossyChannel<number>({ ...QUIET, ...troubles }, seededRandom(7));
  const arrived: number[] = [];
  for (let sent = 0; sent < COUNT; sent += 1) {
    channel.send(sent);
    arrived.push(...channel.arrivals());
  }
  while (!channel.isEmpty()) arrived.push(...channel.arrivals());
  return arrived;
}

const late = (arrived: readonly number[]): number =>
  arrived.filter((message, index) => message < Math.max(...arrived.slice(Math.max(0, index - 20), index))).length;

describe('the channel', () => {
  it('delivers everything once and in order, if it has no troubles', () => {
    expect(arrivals({})).toEqual(Array.from({ length: COUNT }, (_, index) => index));
  });

  it('drops as often as it is told', () => {
    expect(arrivals({ drop: 0.3 }).length / COUNT).toBeCloseTo(0.7, 1);
  });

  it('doubles as often as it is told', () => {
    const arrived = arrivals({ duplicate: 0.3 });
    expect(arrived.length / COUNT).toBeCloseTo(1.3, 1);
    expect(new Set(arrived).size).toBe(COUNT);
  });

  it('delays as often as it is told', () => {
    const arrived = arrivals({ reorder: 0.2 });
    expect(arrived.toSorted((a, b) => a - b)).toEqual(Array.from({ length: COUNT }, (_, index) => index));
    // With one message a round, a delay of one round, a third of all, overtakes nothing.
    expect(late(arrived) / COUNT).toBeCloseTo(0.13, 1);
  });
});
