import type { ReplyDraft } from './plan.ts';

/**
 * Client errors that are never stored. Three kinds: the request was never understood or taken (400, 413, 415), the
 * moment was wrong (408, 423, 425, 429), or the request lacked what the fingerprint leaves out, the caller's rights and
 * the headers (401, 403, 406, 407, 428, 431), so that a corrected request looks the same.
 */
const NEVER_STORED: ReadonlySet<number> = new Set([400, 401, 403, 406, 407, 408, 413, 415, 423, 425, 428, 429, 431]);

/**
 * Is a reply that a handler made with a status of its own its key's final answer?
 *
 * One rule for what it returns and for what its failing conditions refuse with: yes, but for the client errors above and
 * for every 5xx. A 409, 410 or 412 is a decision of the handler's; what says "not now" by one of them is a refusal with
 * a code that is not stored. A reply that comes with effects is final whatever its status, since they are done.
 *
 * @rule R15
 * @rule R16
 * @example isFinalStatus(409) // true
 */
export const isFinalStatus = (status: number): boolean => status < 500 && !NEVER_STORED.has(status);

/** Client errors that are about the moment: the same request, sent again, may end differently. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Does an answer tell its client to send the same request again later? A bare 409 does only with `Retry-After`, as the
 * client reads it (R40).
 *
 * @example isPassing({ status: 429 }) // true
 */
export function isPassing({ status, headers = {} }: Pick<ReplyDraft, 'status' | 'headers'>): boolean {
  const later = Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after');
  return status >= 500 || PASSING.has(status) || (status === 409 && later);
}
