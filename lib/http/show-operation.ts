import { type Authorize, refuseToShow } from '../engine/answer.ts';
import { deadlineBefore } from '../engine/attempt.ts';
import type { Engine } from '../engine/engine.ts';
import { openReply } from '../engine/keep-reply.ts';
import { persist } from '../engine/persist.ts';
import { toBase64Url } from '../protocol/base64url.ts';
import { parseOperationId } from '../protocol/operation-id.ts';
import { SemelError } from '../protocol/problems.ts';
import type { CompletedRecord, IdempotencyRecord } from '../protocol/record.ts';
import { type ReplyHead, serializeReply } from '../protocol/reply.ts';
import { lookAtRecord } from '../store/read-record.ts';
import { respond } from './respond.ts';
import { enter, type RouteBase, type RouteHandler } from './route-context.ts';

export interface OperationRoute extends RouteBase {
  /**
   * Asked before an operation that is over is shown: what the endpoints ask before a replay, so give it what they have. Where they
   * differ, the operation's name tells which is meant.
   *
   * @default the caller who asked for the operation may see its reply
   * @example authorize: (caller, resource, operation) => operation !== 'create-charge' || owns(caller, resource)
   */
  readonly authorize?: Authorize;
}

/**
 * Shows an operation to the caller who asked for it: where it stands, and its reply once it has one. The id's hash finds
 * the record, and its nonce must match, since a key may be used again after its retention.
 *
 * A body that was left out, or is encrypted where the engine has no cipher, is not shown; status and headers are.
 *
 * @rule R4
 * @throws SemelError `operation-not-found`, also for another caller's; `forbidden` where a replay would be
 * @throws SemelError `cipher-unavailable` when the reply cannot be decrypted now
 */
export const operationRoute =
  ({ authorize, ...base }: OperationRoute = {}): RouteHandler =>
  async (request, context) => {
    const { engine, caller, endsAt } = await enter(base, request, context);
    const id = request.params.id ?? '';
    const parts = parseOperationId(id);
    if (parts === undefined) throw notFound(id);
    const pk = `key#${toBase64Url(parts.keyHash)}`;
    const { record } = await persist(engine.surroundings, deadlineBefore(endsAt), (signal) =>
      lookAtRecord(engine.store, pk, signal),
    );
    if (record?.operationId !== id || record.caller !== caller) throw notFound(id);
    const refused = record.status === 'completed' && (await refuseToShow(caller, record, authorize));
    if (refused) throw refused;
    return respond(serializeReply({ status: 200, body: await operationView(engine, record) }), { 'operation-id': id });
  };

const notFound = (id: string) => new SemelError('operation-not-found', `There is no operation ${id}.`);

/** A stored text body is shown as that text; bytes are shown in base64. */
async function operationView(engine: Engine, record: IdempotencyRecord) {
  const { operationId: id, status, attempt: attempts, firstSeenAt } = record;
  const view = { id, status, attempts, createdAt: new Date(firstSeenAt) };
  if (record.status !== 'completed') return view;
  const reply = await shownReply(engine, record);
  return reply === undefined ? view : { ...view, reply };
}

async function shownReply(engine: Engine, record: CompletedRecord) {
  const { encryptedReply } = record;
  const mayOpen = encryptedReply === undefined || engine.replyCipher !== undefined;
  const kept = record.reply ?? (mayOpen ? encryptedReply : undefined);
  if (kept === undefined) return headOf(encryptedReply ?? record.replyHead);
  const { status, headers, body } = await openReply(engine, record, kept);
  const text = typeof body === 'string' || body === undefined ? body : Buffer.from(body).toString('base64');
  return { status, headers, body: text };
}

const headOf = (head: ReplyHead | undefined) => head && { status: head.status, headers: head.headers };
