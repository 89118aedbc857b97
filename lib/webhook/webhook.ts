import type { Context } from 'aws-lambda';
import type { ZodType } from 'zod';
import { applyOnce, type EventContext } from '../engine/apply-once.ts';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { answeringProblems, logger } from '../http/answering-problems.ts';
import { correlationIdOf } from '../http/correlation-id.ts';
import { MAX_BODY_BYTES, parseBody } from '../http/read-body.ts';
import { type HttpEvent, type HttpRequest, readRequest } from '../http/request.ts';
import { type HttpResponse, respond } from '../http/respond.ts';
import type { RouteHandler } from '../http/route-context.ts';
import { decodeUtf8, parseIJson } from '../protocol/i-json.ts';
import type { MessagePlan } from '../protocol/message.ts';
import { isRefusal } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { serializeReply } from '../protocol/reply.ts';
import { days, milliseconds, type Seconds } from '../protocol/time.ts';
import { environmentKeys } from './environment-keys.ts';
import { seenBody } from './seen-body.ts';
import { verifySignature } from './verify-signature.ts';
import { fixedKeys, type KeyRing, type ReadSecrets, rotatingKeys } from './webhook-secrets.ts';
import type { Delivery, WebhookEvent, WebhookSource } from './webhook-source.ts';

/** What a handler is told about an event. */
export interface WebhookContext<Event> {
  readonly body: Event;
  /** Id, UUID and time of this delivery, fixed once: the ids of what it creates derive from the UUID. */
  readonly event: EventContext['event'];
  readonly read: Reader;
}

/** An endpoint for one source's events. */
export interface WebhookOptions<Event> {
  readonly source: WebhookSource;
  /** The schema of the events that are handled. */
  readonly body: ZodType<Event>;
  /** Is this an event to handle? Others are acknowledged without an effect. @default every event is */
  readonly handles?: (event: unknown) => boolean;
  /** Plans the effects, which commit together with the marker; a refusal leaves none, so a later delivery is tried anew. */
  readonly run: (context: WebhookContext<Event>) => MessagePlan | Promise<MessagePlan>;
  /** The signing secrets, or how to read them. @default what WebhookEndpoint puts into the environment */
  readonly secrets?: readonly string[] | ReadSecrets;
  /** How long an event is remembered: longer than the provider sends it again. @default 30 days */
  readonly retention?: Seconds;
  /** @default the engine over the tables that the environment names */
  readonly engine?: Engine;
}

/** Providers retry for up to three days, and people press "resend" for weeks after. */
const RETENTION = days(30);

/**
 * A Lambda handler for a provider's webhooks: verified, then applied once.
 *
 * @throws RangeError for a secret that is empty or malformed, at its start
 * @example export const handler = webhook({ source: stripe, body: Invoice, run: ({ body }) => ({ effects: [paid(body)] }) });
 */
export function webhook<Event>(options: WebhookOptions<Event>) {
  const handle = webhookRoute(options);
  return answeringProblems((event: HttpEvent, context) => handle(readRequest(event), context));
}

/**
 * The same as `webhook`, to be put into `routes`.
 *
 * @rule R31
 */
export function webhookRoute<Event>(options: WebhookOptions<Event>): RouteHandler {
  const ring = keyRing(options);
  return async (request, context) => {
    const { engine = environmentEngine() } = options;
    const delivery = readDelivery(request);
    await verify(options.source, ring, delivery, engine);
    return receive(options, { engine, request, delivery, context });
  };
}

function keyRing<Event>({ source, secrets, engine }: WebhookOptions<Event>): KeyRing {
  const now = () => engine?.surroundings.now() ?? milliseconds(Date.now());
  if (secrets === undefined) return environmentKeys(source, now);
  return typeof secrets === 'function' ? rotatingKeys(source, secrets, now) : fixedKeys(source, secrets);
}

function readDelivery({ body: bytes = new Uint8Array(), header }: HttpRequest): Delivery {
  if (bytes.byteLength > MAX_BODY_BYTES) {
    throw new SemelError(
      'body-too-large',
      `The body has ${bytes.byteLength} bytes; at most ${MAX_BODY_BYTES} are taken.`,
    );
  }
  const onlyOne = (name: string) => {
    const [value, second] = header(name);
    return second === undefined ? value : undefined;
  };
  return { bytes, header: onlyOne };
}

/** A signature that no known key made may be the first after a rotation: the keys are read anew then, and asked again. */
async function verify(source: WebhookSource, ring: KeyRing, delivery: Delivery, engine: Engine): Promise<void> {
  const now = engine.surroundings.now();
  try {
    verifySignature(source, await ring.current(), delivery, now);
  } catch (error) {
    const invalid = error instanceof SemelError && error.code === 'signature-invalid';
    const renewed = invalid ? await ring.renewed() : undefined;
    if (renewed === undefined) throw error;
    verifySignature(source, renewed, delivery, now);
  }
}

/** @throws SemelError `invalid-body` for what is no JSON object: no source says anything in it */
function readEvent({ bytes }: Delivery): WebhookEvent {
  const value = parseIJson(decodeUtf8(bytes));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WebhookEvent;
  throw new SemelError('invalid-body', 'An event must be a JSON object.');
}

/** What belongs to one delivery. */
interface Receiving {
  readonly engine: Engine;
  readonly request: HttpRequest;
  readonly delivery: Delivery;
  readonly context: Context;
}

async function receive<Event>(options: WebhookOptions<Event>, receiving: Receiving): Promise<HttpResponse> {
  const { source, retention = RETENTION } = options;
  const { engine, delivery, request, context } = receiving;
  const value = readEvent(delivery);
  const eventId = source.eventId(delivery, value);
  if (!eventId) throw new SemelError('invalid-body', 'The delivery carries no event id.');
  const consumer = `webhook:${source.name}`;
  const endsAt = milliseconds(engine.surroundings.now() + context.getRemainingTimeInMillis());
  const message = {
    ...{ consumer, source: source.name, eventId, retention, deadline: deadlineBefore(endsAt) },
    body: { kind: 'json', value: source.stablePart?.(value) ?? value } as const,
    correlationId: correlationIdOf(request),
  };
  const seen = source.idIsSigned ? [] : [seenBody(engine, { ...message, bytes: delivery.bytes })];
  const ending = await applyOnce(engine, message, async (known) => {
    const planned = await plan(options, value, known);
    return isRefusal(planned) ? planned : { effects: [...seen, ...planned.effects] };
  });
  logger.info('Received', { consumer, correlationId: message.correlationId, outcome: ending.kind });
  if (ending.kind === 'refused') throw new SemelError(ending.refusal.problem, ending.refusal.detail);
  return respond(serializeReply({ status: 200, body: { received: true, duplicate: ending.kind === 'duplicate' } }));
}

function plan<Event>({ handles, body, run }: WebhookOptions<Event>, value: unknown, { event, read }: EventContext) {
  if (handles !== undefined && !handles(value)) return { effects: [] };
  return run({ body: parseBody(body, { kind: 'json', value }), event, read });
}
