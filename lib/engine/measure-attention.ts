import { EVERY_OPERATION } from '../protocol/counters.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { countListed } from '../store/count-listed.ts';
import { deadlineBefore } from './attempt.ts';
import type { Engine } from './engine.ts';
import { ATTENTION_SHARD } from './new-record.ts';
import { persist } from './persist.ts';

/**
 * Measures how many operations wait for a person, so that the alarm lasts until the last of them is resolved.
 *
 * @rule R38
 * @param endsAt when the function will be ended, in epoch milliseconds
 * @throws SemelError when the store does not answer
 */
export async function measureAttention(engine: Engine, endsAt: Milliseconds): Promise<void> {
  const { count } = await persist(engine.surroundings, deadlineBefore(endsAt), (signal) =>
    countListed(engine.store, ATTENTION_SHARD, signal),
  );
  engine.measure('attention-count', EVERY_OPERATION, count);
}
