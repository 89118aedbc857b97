import type { HttpRequest } from './request.ts';

/** What queues and logs take as it is. */
const PLAIN = /^[\x20-\x7e]{1,128}$/;

/** The caller's `X-Correlation-Id` where it is plain text, else the gateway's id of the request (R38). */
export function correlationIdOf({ header, requestId }: HttpRequest): string {
  const [given = ''] = header('X-Correlation-Id');
  return PLAIN.test(given) ? given : requestId;
}
