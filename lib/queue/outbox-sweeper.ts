import type { Context } from 'aws-lambda';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { persist } from '../engine/persist.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { OUTBOX_SHARDS } from '../protocol/outbox.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { findUnfinished } from '../store/find-unfinished.ts';
import { getOutboxItem } from '../store/outbox-items.ts';
import { logger } from './consumer.ts';
import { relayEvent } from './relay-event.ts';
import { messageSender, type SendMessage } from './send-message.ts';

interface SweeperOptions {
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default the queue that the environment names */
  readonly send?: SendMessage;
}

/** Of one shard at a time. */
const PAGE = 50;

/**
 * A scheduled Lambda handler that sends what the stream left over: a stream forgets after 24 hours, and its mapping may
 * be switched off that long.
 *
 * @rule R32
 * @returns how many events it sent
 * @example export const handler = outboxSweeper();
 */
export const outboxSweeper =
  ({ engine: given, send = messageSender() }: SweeperOptions = {}) =>
  (_event: unknown, context: Context): Promise<{ readonly sent: number }> =>
    publishingMetrics(async () => {
      const engine = given ?? environmentEngine();
      const deadline = deadlineBefore(milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis()));
      const swept = await Promise.all(OUTBOX_SHARDS.map((shard) => sweepShard(engine, send, shard, deadline)));
      const sent = swept.reduce((sum, count) => sum + count, 0);
      if (sent > 0) logger.warn('Events were left over in the outbox', { sent });
      return { sent };
    });

async function sweepShard(engine: Engine, send: SendMessage, shard: string, deadline: Milliseconds): Promise<number> {
  const { surroundings, store } = engine;
  let sent = 0;
  for (let full = true; full && surroundings.now() < deadline; ) {
    const { pks } = await persist(surroundings, deadline, (signal) =>
      findUnfinished(store, shard, surroundings.now(), PAGE, signal),
    );
    const before = sent;
    for (const pk of pks) sent += await sweepOne(engine, send, pk, deadline);
    // The index follows with a delay: a page of what is gone already would come again at once.
    full = pks.length === PAGE && sent > before;
  }
  return sent;
}

/** The index is only where to look: what was sent meanwhile is gone from the table. */
async function sweepOne(engine: Engine, send: SendMessage, pk: string, deadline: Milliseconds): Promise<0 | 1> {
  const { item } = await persist(engine.surroundings, deadline, (signal) => getOutboxItem(engine.store, pk, signal));
  if (item === undefined) return 0;
  await relayEvent(engine, send, item, deadline);
  return 1;
}
