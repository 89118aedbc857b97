import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ZodType } from 'zod';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { ENVIRONMENT } from '../environment.ts';
import type { RequestBody } from '../protocol/fingerprint.ts';
import { parseIJson } from '../protocol/i-json.ts';
import { PROBLEMS, SemelError } from '../protocol/problems.ts';
import { type Milliseconds, milliseconds, type Seconds, seconds } from '../protocol/time.ts';
import { type ConsumedQueue, environmentQueue, type Rejection } from './consumed-queue.ts';
import type { QueueMessage } from './queue-message.ts';
import type { Handled } from './run-batch.ts';

export const logger = new Logger();

/** What every consumer says of itself. */
export interface ConsumerBase<Body> {
  /** The consumer's name: within it, an event is applied once. Renamed, it applies everything again. */
  readonly consumer: string;
  /** The body's schema; a message that fails it can never be applied. */
  readonly body: ZodType<Body>;
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
  /** @default the queues that the environment names */
  readonly queue?: ConsumedQueue;
}

/** One invocation of a consumer. */
export interface Invocation {
  readonly engine: Engine;
  readonly queue: ConsumedQueue;
  readonly consumer: string;
  readonly endsAt: Milliseconds;
  /** Until when everything must be done. */
  readonly deadline: Milliseconds;
  readonly hasTime: () => boolean;
}

/** Makes a Lambda handler out of what one invocation does with its batch. */
export function consumerHandler<Body>(
  options: ConsumerBase<Body>,
  run: (event: SQSEvent, invocation: Invocation) => Promise<SQSBatchResponse>,
) {
  // The batch's own deadline ends a run; an early answer by middy would leave messages half done behind it.
  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: 0 }).handler((event, context) =>
    publishingMetrics(async () => run(event, startInvocation(options, context))),
  );
}

function startInvocation<Body>(options: ConsumerBase<Body>, context: Context): Invocation {
  const { consumer, engine = environmentEngine(), queue = environmentQueue() } = options;
  const { now } = engine.surroundings;
  const endsAt = milliseconds(now() + context.getRemainingTimeInMillis());
  const deadline = deadlineBefore(endsAt);
  return { engine, queue, consumer, endsAt, deadline, hasTime: () => now() < deadline };
}

/** A message's body, read for the fingerprint and checked for the handler. */
export interface ReadBody<Body> {
  readonly body: RequestBody;
  readonly value: Body;
}

/** @throws SemelError `invalid-body` that names what is wrong and where */
export function readMessageBody<Body>(schema: ZodType<Body>, text: string): ReadBody<Body> {
  const value = parseIJson(text);
  const parsed = schema.safeParse(structuredClone(value));
  if (parsed.success) return { body: { kind: 'json', value }, value: parsed.data };
  const [first] = parsed.error.issues;
  const path = first?.path.map(String).join('.') || 'The body';
  throw new SemelError('invalid-body', `${path}: ${first?.message}.`);
}

/**
 * Parks a message that can never be applied, and acknowledges it.
 *
 * @rule R30
 */
export async function reject(
  { engine, queue, consumer }: Invocation,
  message: QueueMessage,
  why: Rejection,
): Promise<Handled> {
  await queue.deadLetter(message, why);
  engine.count('dead-lettered', consumer);
  const { messageId, correlationId } = message;
  // Not the detail: it may quote the body. It is with the message.
  logger.warn('Dead-lettered', { consumer, messageId, correlationId, reason: why.reason });
  return 'done';
}

/**
 * What a thrown value means for its message: a permanent no is parked, anything else is delivered again.
 *
 * @rule R30
 */
export async function handleThrown(
  invocation: Invocation,
  message: QueueMessage,
  eventId: string,
  thrown: unknown,
): Promise<Handled> {
  try {
    if (!(thrown instanceof SemelError) || PROBLEMS[thrown.code].retryable) throw thrown;
    return await reject(invocation, message, { eventId, reason: thrown.code, detail: thrown.message });
  } catch (passing) {
    logFailure(invocation, message, passing);
    return 'failed';
  }
}

export function logFailure(
  { consumer }: Invocation,
  { messageId, correlationId }: QueueMessage,
  thrown: unknown,
): void {
  const error = errorOf(thrown);
  logger.error('A message failed and will be delivered again', { consumer, messageId, correlationId, error });
}

/** Anything may be thrown, but only errors are logged with their stack. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Thrown: ${String(thrown)}`);

/** How long a marker must be kept, as the stack computed it; undefined where no stack said (R28). */
export function environmentRetention(): Seconds | undefined {
  const text = process.env[ENVIRONMENT.markerRetention];
  return text === undefined ? undefined : seconds(Number(text));
}
