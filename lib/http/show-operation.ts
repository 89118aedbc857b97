import { deadlineBefore } from '../engine/attempt.ts';
import { persist } from '../engine/persist.ts';
import { toBase64Url } from '../protocol/base64url.ts';
import { parseOperationId } from '../protocol/operation-id.ts';
import { SemelError } from '../protocol/problems.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import { serializeReply } from '../protocol/reply.ts';
import { lookAtRecord } from '../store/read-record.ts';
import { respond } from './respond.ts';
import { enter, type RouteBase, type RouteHandler } from './route-context.ts';

/**
 * Shows an operation to the caller who asked for it: where it stands, and its reply once it has one. The id's hash finds
 * the record, and its nonce must match, since a key may be used again after its retention.
 *
 * @throws SemelError `operation-not-found`, also for another caller's
 */
export const operationRoute =
  (options: RouteBase = {}): RouteHandler =>
  async (request, context) => {
    const { engine, caller, endsAt } = await enter(options, request, context);
    const id = request.params.id ?? '';
    const parts = parseOperationId(id);
    if (parts === undefined) throw notFound(id);
    const pk = `key#${toBase64Url(parts.keyHash)}`;
    const { record } = await persist(engine.surroundings, deadlineBefore(endsAt), (signal) =>
      lookAtRecord(engine.store, pk, signal),
    );
    if (record?.operationId !== id || record.caller !== caller) throw notFound(id);
    return respond(serializeReply({ status: 200, body: operationView(record) }), { 'operation-id': id });
  };

const notFound = (id: string) => new SemelError('operation-not-found', `There is no operation ${id}.`);

/** A stored text body is shown as that text; bytes are shown in base64. */
function operationView(record: IdempotencyRecord) {
  const { operationId: id, status, attempt: attempts, firstSeenAt } = record;
  const view = { id, status, attempts, createdAt: new Date(firstSeenAt) };
  if (record.status !== 'completed' || record.reply === undefined) return view;
  const { status: replyStatus, headers, body } = record.reply;
  const text = typeof body === 'string' || body === undefined ? body : Buffer.from(body).toString('base64');
  return { ...view, reply: { status: replyStatus, headers, body: text } };
}
