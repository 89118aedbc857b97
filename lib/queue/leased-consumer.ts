import type { Answer } from '../engine/answer.ts';
import { startAttempt } from '../engine/attempt.ts';
import { assertCipher } from '../engine/keep-reply.ts';
import { runLeased } from '../engine/run-leased.ts';
import { SKEW_ALLOWANCE } from '../protocol/lease.ts';
import type { LeasedOperation } from '../protocol/leased-operation.ts';
import { eventIdOf } from '../protocol/message.ts';
import { PROBLEMS, type ProblemCode } from '../protocol/problems.ts';
import type { StoredReply } from '../protocol/reply.ts';
import { assertRetention } from '../protocol/retention.ts';
import { milliseconds } from '../protocol/time.ts';
import {
  type ConsumerBase,
  consumerHandler,
  environmentRetention,
  handleThrown,
  type Invocation,
  logFailure,
  logger,
  type ReadBody,
  readMessageBody,
  reject,
} from './consumer.ts';
import type { QueueMessage } from './queue-message.ts';
import { type Handled, type InTurn, runBatch, takingTurns } from './run-batch.ts';

/** What a consumer whose effects leave DynamoDB may be told. */
export interface LeasedConsumer<Body, Intent> extends ConsumerBase<Body> {
  /** @default the attribute `Semel-Event-Id`, else the queue's message id */
  readonly eventId?: (body: Body) => string | undefined;
  /** How many messages, or groups, are handled at a time. @default 10 */
  readonly concurrency?: number;
  // biome-ignore lint/suspicious/noExplicitAny: what its call answers is between the operation's own phases
  readonly operation: LeasedOperation<Intent, any, any>;
  /** The smallest request from which the operation can be finished without its message. */
  readonly intent: (body: Body) => Intent;
}

const CONCURRENCY = 10;
/** Once a lease has ended, its reply is there or the operation can be taken over. */
const AFTER_THE_LEASE = 1_000;

/**
 * A Lambda handler that makes one outside call per event: the event is a leased operation whose key is the event id. A
 * duplicate that meets the first delivery still running hides until that one's lease ends, instead of being received
 * again and again until the queue gives it up. Within a batch it waits for the first one's outcome.
 *
 * @rule R30
 * @throws RangeError when the operation's retention is shorter than a message can come back (R28)
 * @example export const handler = leasedConsumer({ consumer: 'receipts', body: Receipt, operation: SEND_RECEIPT, intent: (body) => body });
 */
export const leasedConsumer = <Body, Intent>(options: LeasedConsumer<Body, Intent>) => {
  assertCipher(options.operation, options.engine);
  assertRetention(options.operation.retention, environmentRetention() ?? options.operation.retention);
  return consumerHandler(options, (event, invocation) => {
    const inTurn = takingTurns();
    return runBatch(event, {
      concurrency: options.concurrency ?? CONCURRENCY,
      hasTime: invocation.hasTime,
      handle: (message) => handle(options, invocation, inTurn, message),
    });
  });
};

async function handle<Body, Intent>(
  options: LeasedConsumer<Body, Intent>,
  invocation: Invocation,
  inTurn: InTurn,
  message: QueueMessage,
): Promise<Handled> {
  const { messageId, attachedEventId: attached } = message;
  let eventId = eventIdOf({ fromBody: undefined, attached, messageId });
  try {
    const read = readMessageBody(options.body, message.text);
    eventId = eventIdOf({ fromBody: options.eventId?.(read.value), attached, messageId });
    // One event twice in a batch: the second would meet the first in flight, and be reported failed (R27).
    return await inTurn(JSON.stringify([message.source, eventId]), () =>
      runOperation(options, invocation, message, eventId, read),
    );
  } catch (thrown) {
    return handleThrown(invocation, message, eventId, thrown);
  }
}

async function runOperation<Body, Intent>(
  options: LeasedConsumer<Body, Intent>,
  invocation: Invocation,
  message: QueueMessage,
  eventId: string,
  read: ReadBody<Body>,
): Promise<Handled> {
  if (!invocation.hasTime()) return 'failed';
  const attempt = startAttempt(invocation.engine, keyedBy(options, invocation, message, eventId, read.body));
  const answer = await runLeased(invocation.engine, attempt, {
    operation: options.operation as LeasedOperation,
    intent: () => options.intent(structuredClone(read.value)),
    prefer: { respondAsync: false },
  });
  return endAnswered(invocation, message, eventId, answer);
}

/** The message as a keyed request: its source is the caller, and its event id the key. */
const keyedBy = <Body, Intent>(
  { consumer, operation }: LeasedConsumer<Body, Intent>,
  { endsAt }: Invocation,
  { source, receiveCount, correlationId }: QueueMessage,
  key: string,
  body: ReadBody<Body>['body'],
) => ({
  ...{ caller: source, operation: operation.name, key: `${consumer}#${key}`, endsAt },
  scope: 'caller-and-operation' as const,
  request: { method: 'MESSAGE', path: consumer, rawQuery: '', body },
  hinted: receiveCount > 1,
  ...(correlationId !== undefined && { correlationId }),
});

async function endAnswered(
  invocation: Invocation,
  message: QueueMessage,
  eventId: string,
  answer: Answer,
): Promise<Handled> {
  if (answer.kind === 'reply') {
    const reason = refusalIn(answer.reply);
    if (reason === undefined) return consumed(invocation, message, answer, answer.replayed ? 'duplicate' : 'applied');
    const detail = `Operation ${answer.operationId} ended with status ${answer.reply.status}.`;
    return reject(invocation, message, { eventId, reason, detail });
  }
  const { code, message: detail, retryAfter, cause } = answer.problem;
  if (code === 'idempotency-key-reused')
    return reject(invocation, message, { eventId, reason: 'event-id-reused', detail });
  // Done, and nobody waits for its reply here.
  if (code === 'reply-not-kept') return consumed(invocation, message, answer, 'duplicate');
  if (!PROBLEMS[code].retryable) return reject(invocation, message, { eventId, reason: code, detail });
  const inFlight = code === 'request-in-flight';
  if (!inFlight) logFailure(invocation, message, cause ?? answer.problem);
  const rest = inFlight ? longestLease(invocation) : retryAfter;
  if (rest !== undefined) await invocation.queue.hide(message, milliseconds(rest));
  return 'failed';
}

function consumed(
  { consumer }: Invocation,
  { messageId, correlationId }: QueueMessage,
  { operationId }: Answer,
  outcome: 'applied' | 'duplicate',
): Handled {
  logger.info('Consumed', { consumer, messageId, correlationId, operationId, outcome });
  return 'done';
}

/**
 * No lease is longer than this: the other delivery runs in the same function, which had no more time than this one has.
 * Too long costs a wait; too short, a receive.
 */
const longestLease = ({ engine, endsAt }: Invocation): number =>
  Math.max(0, endsAt - engine.surroundings.now()) + SKEW_ALLOWANCE + AFTER_THE_LEASE;

/** The code of a final "no"; undefined for a success. */
function refusalIn({ status, body }: StoredReply): ProblemCode | undefined {
  if (status < 400) return undefined;
  const code = typeof body === 'string' ? /"type":"\/problems\/([\w-]+)"/.exec(body)?.[1] : undefined;
  return code !== undefined && Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : 'message-refused';
}
