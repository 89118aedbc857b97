import type { Answer } from '../engine/answer.ts';
import { problemReply, retryAfterSeconds } from '../protocol/problem-reply.ts';
import type { SemelError } from '../protocol/problems.ts';
import type { StoredReply } from '../protocol/reply.ts';

/** What both payload formats take as an answer. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Spells a keyed request's answer; a replay is marked, and everything carries its operation (R17). @rule R17 */
export function respondAnswer(answer: Answer): HttpResponse {
  const applied: Record<string, string> =
    answer.preferenceApplied === undefined ? {} : { 'preference-applied': answer.preferenceApplied };
  if (answer.kind === 'problem') return respondProblem(answer.problem, answer.operationId, applied);
  return respond(answer.reply, {
    'operation-id': answer.operationId,
    ...(answer.replayed && { 'idempotent-replayed': 'true' }),
    ...applied,
  });
}

/** Spells a problem as RFC 9457 asks (R19). @rule R19 */
export function respondProblem(
  error: SemelError,
  operationId = error.operationId,
  extra: Record<string, string> = {},
): HttpResponse {
  const { code, message: detail, errors, retryAfter } = error;
  return respond(problemReply({ code, detail, operationId, errors }), {
    ...extra,
    ...(operationId !== undefined && { 'operation-id': operationId }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfterSeconds(retryAfter) }),
    ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
  });
}

export function respond(reply: StoredReply, extra: Record<string, string> = {}): HttpResponse {
  const { status, headers, body } = reply;
  const text = typeof body === 'string' || body === undefined;
  return {
    statusCode: status,
    headers: { ...headers, ...extra },
    body: text ? (body ?? '') : Buffer.from(body).toString('base64'),
    isBase64Encoded: !text,
  };
}
