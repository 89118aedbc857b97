import { applyOnce, type EventContext } from '../engine/apply-once.ts';
import { eventIdOf, type MessagePlan } from '../protocol/message.ts';
import { days, type Seconds } from '../protocol/time.ts';
import {
  type ConsumerBase,
  consumerHandler,
  environmentRetention,
  handleThrown,
  type Invocation,
  logger,
  readMessageBody,
  reject,
} from './consumer.ts';
import type { QueueMessage } from './queue-message.ts';
import { type Handled, runBatch } from './run-batch.ts';

/** What a handler is told about a message. */
export interface OnceContext<Body> extends EventContext {
  readonly body: Body;
}

/** What a consumer that applies each event once may be told. */
export interface OnceConsumer<Body> extends ConsumerBase<Body> {
  /**
   * Reads the event's own id out of the body.
   * @default the attribute `Semel-Event-Id`, else the queue's message id
   */
  readonly eventId?: (body: Body) => string | undefined;
  /** How many messages, or groups, are handled at a time. @default 10 */
  readonly concurrency?: number;
  /** How long markers are kept. @default what the stack computed, else the longest that SQS can bring a message back */
  readonly retention?: Seconds;
  /** Reads, and returns the effects, or a refusal for what can never be applied. May run more than once. */
  readonly run: (context: OnceContext<Body>) => MessagePlan | Promise<MessagePlan>;
}

const CONCURRENCY = 10;
/** A queue and a dead-letter queue keep 14 days at most each, and a redriven message counts anew. */
const LONGEST_RETENTION = days(42);

/**
 * A Lambda handler that applies each event of a queue once, however often it is delivered: marker and effects are one
 * transaction.
 *
 * @rule R25
 * @example
 * export const handler = onceConsumer({ consumer: 'deposits', body: Deposit, run: ({ body, event }) => deposit(body, event) });
 */
export const onceConsumer = <Body>(options: OnceConsumer<Body>) =>
  consumerHandler(options, (event, invocation) =>
    runBatch(event, {
      concurrency: options.concurrency ?? CONCURRENCY,
      hasTime: invocation.hasTime,
      handle: (message) => handle(options, invocation, message),
    }),
  );

async function handle<Body>(
  options: OnceConsumer<Body>,
  invocation: Invocation,
  message: QueueMessage,
): Promise<Handled> {
  const { messageId, attachedEventId: attached, source, correlationId } = message;
  let eventId = eventIdOf({ fromBody: undefined, attached, messageId });
  try {
    const { body, value } = readMessageBody(options.body, message.text);
    eventId = eventIdOf({ fromBody: options.eventId?.(value), attached, messageId });
    const { consumer, engine, deadline } = invocation;
    const retention = options.retention ?? environmentRetention() ?? LONGEST_RETENTION;
    const incoming = {
      consumer,
      source,
      eventId,
      body,
      retention,
      deadline,
      ...(correlationId !== undefined && { correlationId }),
    };
    const ending = await applyOnce(engine, incoming, (context) =>
      options.run({ ...context, body: structuredClone(value) }),
    );
    if (ending.kind === 'refused') {
      const { problem: reason, detail } = ending.refusal;
      return await reject(invocation, message, { eventId, reason, detail });
    }
    logger.info('Consumed', { consumer, messageId, correlationId, outcome: ending.kind });
    return 'done';
  } catch (thrown) {
    return handleThrown(invocation, message, eventId, thrown);
  }
}
