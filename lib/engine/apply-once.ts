import { fullJitter } from '../protocol/backoff.ts';
import { toBase64Url } from '../protocol/base64url.ts';
import { bodyFingerprint, type RequestBody } from '../protocol/fingerprint.ts';
import { decideMarker, type Marker, newMarker } from '../protocol/marker.ts';
import { dedupeParts, type MessageIdentity, type MessagePlan } from '../protocol/message.ts';
import { isRefusal, type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { PROBLEMS, SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { scopedKey } from '../protocol/scope.ts';
import { expiryAfter, type Milliseconds, type Seconds } from '../protocol/time.ts';
import { uuidText } from '../protocol/uuid.ts';
import { applyMarked } from '../store/apply-marked.ts';
import { lookAtMarker } from '../store/look-at-marker.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';
import { persistentReader } from './persistent-reader.ts';

/** A message or event as it was delivered. */
export interface IncomingMessage extends MessageIdentity {
  readonly body: RequestBody;
  /** How long the marker is kept, from now: longer than the message can come back (R28). */
  readonly retention: Seconds;
  /** Epoch milliseconds after which no further try starts. */
  readonly deadline: Milliseconds;
  readonly correlationId?: string;
}

/** What a handler is told about an event, fixed once per delivery. */
export interface EventContext {
  readonly event: {
    /** The id that the event carries in itself. */
    readonly id: string;
    /** A UUIDv7 of this delivery: the ids of what it creates derive from it. */
    readonly uuid: string;
    readonly source: string;
    readonly now: Milliseconds;
    readonly correlationId: string | undefined;
    /** 1, and more when an effect's condition said nothing final: plan on fresh reads then. */
    readonly round: number;
  };
  readonly read: Reader;
}

/** What a handler does: it reads, and returns effects or a permanent "no". It may run more than once. */
export type PlanMessage = (context: EventContext) => MessagePlan | Promise<MessagePlan>;

/** How a delivery ends; anything passing (a conflict, a store that is down) is thrown instead, to be delivered again. */
export type MessageEnding =
  | { readonly kind: 'applied' }
  | { readonly kind: 'duplicate' }
  /** It can never be applied; no marker is left (R30). */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A plan that loses its own conditions this often in a row is not planning on what it read. */
const MOST_ROUNDS = 8;

/**
 * Applies a message's effects once: one TransactWriteItems puts the marker, if there is none, with every effect.
 *
 * @rule R25
 * @rule R30
 * @throws SemelError `store-unavailable` or `too-many-conflicts`: nothing is decided, deliver it again
 */
export async function applyOnce(engine: Engine, message: IncomingMessage, plan: PlanMessage): Promise<MessageEnding> {
  const marker = markerOf(engine, message);
  try {
    return await goRounds(engine, message, marker, plan);
  } catch (thrown) {
    if (!(thrown instanceof SemelError) || PROBLEMS[thrown.code].retryable) throw thrown;
    return refuseUnlessApplied(engine, message, marker, refuse(thrown.code, thrown.message));
  }
}

async function goRounds(
  engine: Engine,
  message: IncomingMessage,
  marker: Marker,
  plan: PlanMessage,
): Promise<MessageEnding> {
  const { now, random, sleep, uuid } = engine.surroundings;
  const { eventId: id, source, correlationId, deadline } = message;
  const event = { id, source, correlationId, uuid: uuidText(uuid()), now: now() };
  const read = persistentReader(engine, deadline);
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (round > 1) await sleep(fullJitter(round, random()));
    const ending = await commit(engine, message, marker, await plan({ event: { ...event, round }, read }));
    if (ending !== undefined) return ending;
  }
  throw new SemelError('too-many-conflicts', 'Other writers kept changing what this message read.');
}

function markerOf(engine: Engine, message: IncomingMessage): Marker {
  const { now, token } = engine.surroundings;
  const hash = toBase64Url(engine.hashKey(scopedKey(dedupeParts(message))));
  return newMarker({
    pk: `msg#${message.consumer}#${hash}`,
    fingerprint: bodyFingerprint(message.body, engine.hashRequest),
    ownerToken: token(),
    expiresAt: expiryAfter(now(), message.retention),
    ...(message.correlationId !== undefined && { correlationId: message.correlationId }),
  });
}

/** One try; undefined when a condition said nothing final. */
async function commit(
  engine: Engine,
  message: IncomingMessage,
  marker: Marker,
  planned: MessagePlan,
): Promise<MessageEnding | undefined> {
  if (isRefusal(planned)) return refuseUnlessApplied(engine, message, marker, planned);
  const outcome = await persist(engine.surroundings, message.deadline, (signal) =>
    applyMarked(engine.store, marker, planned.effects, signal),
  );
  switch (outcome.kind) {
    case 'applied':
      engine.count('new', message.consumer);
      return outcome;
    case 'duplicate':
    case 'event-id-reused':
      return endMarked(engine, message, outcome.kind);
    case 'effect-refused':
      return endRefused(engine, message, planned.effects[outcome.index]?.refuse?.(outcome.old));
  }
}

/**
 * A handler that reads may see the message's own effect of an earlier delivery and say no because of it; so its no
 * counts only where no marker is.
 *
 * @rule R15
 */
async function refuseUnlessApplied(
  engine: Engine,
  message: IncomingMessage,
  marker: Marker,
  refusal: Refusal,
): Promise<MessageEnding> {
  const looked = await persist(engine.surroundings, message.deadline, (signal) =>
    lookAtMarker(engine.store, marker.pk, signal),
  );
  if (looked.marker === undefined) return { kind: 'refused', refusal };
  const decision = decideMarker(looked.marker, marker);
  return decision === 'applied-by-us' ? { kind: 'applied' } : endMarked(engine, message, decision);
}

function endMarked(
  engine: Engine,
  { consumer }: IncomingMessage,
  decision: 'duplicate' | 'event-id-reused',
): MessageEnding {
  if (decision === 'duplicate') {
    engine.count('duplicate-message', consumer);
    return { kind: 'duplicate' };
  }
  engine.count('mismatch', consumer);
  return {
    kind: 'refused',
    refusal: refuse('event-id-reused', 'The event id was used for an event with another body.'),
  };
}

/**
 * An effect may refuse with a whole reply, which nobody waits for here: what counts is that it is final. A success says
 * that what the effect wants is there already: the same event came another way, and this is its duplicate.
 */
function endRefused(
  engine: Engine,
  message: IncomingMessage,
  no: Refusal | ReplyDraft | undefined,
): MessageEnding | undefined {
  if (no === undefined) return undefined;
  if (isRefusal(no)) return { kind: 'refused', refusal: no };
  if (no.status < 300) return endMarked(engine, message, 'duplicate');
  return { kind: 'refused', refusal: refuse('message-refused', `An effect refused with status ${no.status}.`) };
}
