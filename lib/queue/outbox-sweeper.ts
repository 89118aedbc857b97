import type { Context } from 'aws-lambda';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { persist } from '../engine/persist.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { EVERY_OPERATION } from '../protocol/counters.ts';
import { OUTBOX_SHARDS, outboxEventId } from '../protocol/outbox.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { findUnfinished, type PageEnd } from '../store/find-unfinished.ts';
import { getOutboxItem } from '../store/outbox-items.ts';
import { errorOf, logger } from './consumer.ts';
import { relayEvent } from './relay-event.ts';
import { boundedly } from './run-batch.ts';
import { messageSender, type SendMessage } from './send-message.ts';

interface SweeperOptions {
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default the queue that the environment names */
  readonly send?: SendMessage;
}

/** One run over all shards, and what came of it. */
interface Sweep {
  readonly engine: Engine;
  readonly send: SendMessage;
  readonly deadline: Milliseconds;
  sent: number;
  readonly failures: unknown[];
}

/** Of one shard at a time. */
const PAGE = 50;
/** In each shard: an event that fails slowly must not use up the time of the others. */
const CONCURRENCY = 10;

/**
 * A scheduled Lambda handler that sends what the stream left over: a stream forgets after 24 hours, and its mapping may
 * be switched off that long. An event that cannot be sent stays where it is and keeps no other one back; the run fails
 * once it has tried all of them.
 *
 * @rule R32
 * @returns how many events it sent
 * @throws AggregateError of what failed
 * @example export const handler = outboxSweeper();
 */
export const outboxSweeper =
  ({ engine: given, send = messageSender() }: SweeperOptions = {}) =>
  (_event: unknown, context: Context): Promise<{ readonly sent: number }> =>
    publishingMetrics(async () => {
      const engine = given ?? environmentEngine();
      const deadline = deadlineBefore(milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis()));
      const sweep: Sweep = { engine, send, deadline, sent: 0, failures: [] };
      await Promise.all(OUTBOX_SHARDS.map((shard) => trying(sweep, { shard }, () => sweepShard(sweep, shard))));
      const { sent, failures } = sweep;
      if (sent > 0) logger.warn('Events were left over in the outbox', { sent });
      if (failures.length === 0) return { sent };
      throw new AggregateError(
        failures,
        `${failures.length} events or shards of the outbox failed; ${sent} were sent.`,
      );
    });

/** Page after page, since the oldest may all be events that nobody can send. */
async function sweepShard(sweep: Sweep, shard: string): Promise<void> {
  const { surroundings, store } = sweep.engine;
  const leftBy = surroundings.now();
  let after: PageEnd | undefined;
  do {
    const page = await persist(surroundings, sweep.deadline, (signal) =>
      findUnfinished(store, shard, leftBy, PAGE, signal, after),
    );
    await boundedly(CONCURRENCY, page.pks, async (pk) => {
      if (surroundings.now() >= sweep.deadline) return;
      await trying(sweep, { eventId: outboxEventId(pk) }, () => sweepOne(sweep, pk));
    });
    after = page.end;
  } while (after !== undefined && surroundings.now() < sweep.deadline);
}

/** The index is only where to look: what was sent meanwhile is gone from the table. */
async function sweepOne(sweep: Sweep, pk: string): Promise<void> {
  const { engine, send, deadline } = sweep;
  const { item } = await persist(engine.surroundings, deadline, (signal) => getOutboxItem(engine.store, pk, signal));
  if (item === undefined) return;
  await relayEvent(engine, send, item, deadline);
  sweep.sent += 1;
}

/** Keeps a failure for the end of the run. */
async function trying(
  { engine, failures }: Sweep,
  what: Readonly<Record<string, string>>,
  task: () => Promise<void>,
): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    failures.push(thrown);
    engine.count('unsent-event', EVERY_OPERATION);
    const error = errorOf(thrown);
    logger.error('What is left over in the outbox was not sent and will be tried again', { ...what, error });
  }
}
