import type { ReplyDraft } from './plan.ts';

/**
 * Client errors that the same key may outlive. Three kinds: the request was never understood or taken (400, 413, 415),
 * the moment was wrong (408, 409, 423, 425, 429), or the answer hangs on what the fingerprint leaves out, the caller's
 * rights and the headers (401, 403, 406, 407, 412, 428, 431), so that a corrected request looks the same.
 */
const NOT_FINAL: ReadonlySet<number> = new Set([
  400, 401, 403, 406, 407, 408, 409, 412, 413, 415, 423, 425, 428, 429, 431,
]);

/**
 * Is a reply that a handler made with a status of its own its key's final answer?
 *
 * A bare status is read with caution: a 409 or a 5xx may be final, but only the handler knows, and it says so with a
 * refusal whose code is stored. To store a passing failure would lock the key; to run once more is safe.
 *
 * @rule R15
 * @rule R16
 * @example isFinalStatus(402) // true
 */
export const isFinalStatus = (status: number): boolean => status < 500 && !NOT_FINAL.has(status);

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
