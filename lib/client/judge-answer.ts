/** The part of a `Response` that is judged. */
type Answer = Pick<Response, 'status' | 'headers'>;

/**
 * `settled`: the last word on the request. `again`: sent again, it may end differently.
 * `stop`: nothing is settled, and sending again would not help.
 */
export type Judgement = 'settled' | 'again' | 'stop';

/**
 * May this request be sent more than once?
 *
 * @rule R40
 * @see https://www.rfc-editor.org/rfc/rfc9110#idempotent.methods
 * @example isRepeatable('POST', false) // false
 */
export const isRepeatable = (method: string, keyed: boolean): boolean =>
  keyed || /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);

/**
 * Judges an answer to a request that may be repeated, by its status and headers alone.
 *
 * A kept answer, which an earlier attempt got, is final whatever its status. A 409 is "still running" only with
 * `Retry-After`; a 422 never is.
 *
 * @rule R40
 * @example judgeAnswer(new Response('', { status: 503 })) // 'again'
 */
export const judgeAnswer = ({ status, headers }: Answer): Judgement =>
  ([408, 425, 429].includes(status) || status >= 500 || (status === 409 && headers.has('retry-after'))) &&
  !headers.has('idempotent-replayed')
    ? 'again'
    : 'settled';
