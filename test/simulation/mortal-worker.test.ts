import { describe, expect, it } from 'vitest';
import { effectThenMemory, together } from '../../lib/simulation/consumer.ts';
import { newMessage } from '../../lib/simulation/message.ts';
import { MortalWorker } from '../../lib/simulation/mortal-worker.ts';

const MESSAGE = newMessage('1', 1);
const DEATHS = { before: 0, between: 0.5, after: 0.9 };

/** A worker that dies at one place in its first delivery and lives on after that. */
function dyingWorker(death: keyof typeof DEATHS, step: typeof together) {
  const chances = [0, DEATHS[death]];
  let remembered = 0;
  const consumer = { receive: () => step(() => (remembered += 1)), memory: () => remembered };
  return new MortalWorker(consumer, 0.5, () => chances.shift() ?? 0.99);
}

describe('a death', () => {
  it.each<[keyof typeof DEATHS, string, number, number]>([
    ['before', 'in one write', 0, 0],
    ['before', 'in two', 0, 0],
    ['between', 'in one write', 1, 1],
    ['between', 'in two', 1, 0],
    ['after', 'in one write', 1, 1],
    ['after', 'in two', 1, 1],
  ])(
    '%s effect and memory %s leaves %i effects and %i memories, and no acknowledgement',
    (death, how, applied, memory) => {
      const worker = dyingWorker(death, how === 'in two' ? effectThenMemory : together);
      expect(worker.take(MESSAGE)).toBe(false);
      expect(worker.account(1)).toMatchObject({ applied, memory });
      expect(worker.take(MESSAGE)).toBe(true);
    },
  );
});
