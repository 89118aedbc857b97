import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import type { OutboxItem } from '../protocol/outbox.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { readOutboxItem } from '../store/outbox-items.ts';
import { readRaw } from '../store/record-item.ts';
import { logger } from './consumer.ts';
import { relayEvent } from './relay-event.ts';
import { boundedly } from './run-batch.ts';
import { messageSender, type SendMessage } from './send-message.ts';

interface RelayOptions {
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default the queue that the environment names */
  readonly send?: SendMessage;
}

/** An event as the stream brings it. */
interface StreamedEvent {
  readonly sequenceNumber: string;
  readonly item: OutboxItem;
}

const CONCURRENCY = 10;

/**
 * A Lambda handler on the stream of Semel's table that sends what operations put into the outbox. It reports what failed;
 * the stream repeats from the first of those on, and what it repeats in vain is left to the sweeper.
 *
 * @rule R32
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 * @example export const handler = outboxRelay();
 */
export const outboxRelay = ({ engine: given, send = messageSender() }: RelayOptions = {}) =>
  middy<DynamoDBStreamEvent, DynamoDBBatchResponse>({ timeoutEarlyInMillis: 0 }).handler((event, context) =>
    publishingMetrics(async () => {
      const engine = given ?? environmentEngine();
      const deadline = deadlineBefore(milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis()));
      const failed: string[] = [];
      await boundedly(CONCURRENCY, event.Records.flatMap(readStreamed), async (streamed) => {
        if (!(await relayStreamed(engine, send, streamed, deadline))) failed.push(streamed.sequenceNumber);
      });
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    }),
  );

/** The filter of the event source lets only these through; one that was left out must not send records as events. */
function readStreamed({ eventName, dynamodb }: DynamoDBRecord): readonly StreamedEvent[] {
  const image = dynamodb?.NewImage as Record<string, AttributeValue> | undefined;
  if (eventName !== 'INSERT' || !image?.pk?.S?.startsWith('outbox#')) return [];
  const item = readRaw(image);
  return item ? [{ sequenceNumber: dynamodb?.SequenceNumber ?? '', item: readOutboxItem(item) }] : [];
}

async function relayStreamed(
  engine: Engine,
  send: SendMessage,
  { item }: StreamedEvent,
  deadline: Milliseconds,
): Promise<boolean> {
  const { type, correlationId } = item;
  try {
    await relayEvent(engine, send, item, deadline);
    logger.info('Relayed', { type, correlationId });
    return true;
  } catch (error) {
    logger.error('An event was not relayed and will be tried again', { type, correlationId, error: error as Error });
    return false;
  }
}
