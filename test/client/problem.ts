import { problemReply, retryAfterSeconds } from '../../lib/protocol/problem-reply.ts';
import type { ProblemCode } from '../../lib/protocol/problems.ts';
import type { Step } from './troubled-server.ts';

/** A problem as the service answers it. @example problem('request-in-flight', 1_000) */
export function problem(code: ProblemCode, retryAfter?: number): Extract<Step, object> {
  const { status, headers, body } = problemReply({ code, detail: 'As it happens.' });
  const asked = retryAfter === undefined ? {} : { 'retry-after': retryAfterSeconds(retryAfter) };
  return { status, headers: { ...headers, ...asked, 'operation-id': 'op_1' }, body: String(body) };
}
