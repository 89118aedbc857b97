import { plainJson } from './plain-json.ts';
import type { ReplyDraft } from './plan.ts';
import { SemelError } from './problems.ts';

/** A reply as it is stored and sent: the body is text or bytes, never a value that could be written differently (R17). */
export interface StoredReply {
  readonly status: number;
  /** Lower-case names, only those that may be stored. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** How a reply's body is kept for replays; its status and headers always are. */
export type StoredBody =
  /** As it is. */
  | 'whole'
  /** Under the engine's `replyCipher`. */
  | 'encrypted'
  /** Not at all, where the answer is a success: a retry gets 410 `reply-not-kept`. A "no" is kept, or it would look like a "done". */
  | 'omitted';

/** What of a reply is no secret. */
export type ReplyHead = Omit<StoredReply, 'body'>;

/** A reply whose body nobody can read who has only the table. */
export interface EncryptedReply extends ReplyHead {
  readonly ciphertext: Uint8Array;
  /** What the body is once it is decrypted. */
  readonly bodyIs: 'text' | 'bytes';
}

/** The longest body that is stored, in bytes: with the rest of the record well below DynamoDB's 400 KB (R20). */
export const MAX_REPLY_BYTES = 262_144;

/** API Gateway sends at most 10,240 bytes of headers, its own included. */
const MAX_HEADER_BYTES = 8_192;

/** What describes the body. Cookies, authentication and CORS belong to one answer, not to its repetition. */
const STORED_HEADERS: ReadonlySet<string> = new Set(['content-type', 'location', 'etag', 'content-language']);

/**
 * Writes a reply down once, before its effect, so that the first answer and every replay are the same bytes.
 *
 * @rule R17
 * @rule R20
 * @throws SemelError `internal-error` when the draft cannot be sent as it is; the detail names the place and the fix
 * @example serializeReply({ status: 201, body: { id: 'tr_1', note: undefined } })
 * // { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":"tr_1"}' }
 */
export function serializeReply(draft: ReplyDraft): StoredReply {
  const { status } = draft;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new SemelError('internal-error', `A reply's status must be a whole number from 200 to 599, not ${status}.`);
  }
  const { body, contentType } = serializeBody(draft.body);
  const kept = storedHeaders(draft.headers ?? {});
  const headers = contentType === undefined ? kept : { 'content-type': contentType, ...kept };
  return { status, headers, body };
}

/**
 * The headers that are stored with a reply and sent with it, the first time too; all others are dropped.
 *
 * @rule R17
 * @throws SemelError `internal-error` for a line break in a value, and for more than 8 KB
 * @example storedHeaders({ ETag: '"1"', 'Set-Cookie': 'a=b' }) // { etag: '"1"' }
 */
export function storedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!STORED_HEADERS.has(name.toLowerCase())) continue;
    if (/[\r\n\0]/.test(value)) {
      throw new SemelError('internal-error', `The header ${name} holds a line break or NUL: encode its value.`);
    }
    kept[name.toLowerCase()] = value;
  }
  if (Object.values(kept).join('').length > MAX_HEADER_BYTES) {
    throw new SemelError('internal-error', `The reply's headers are longer than ${MAX_HEADER_BYTES} bytes.`);
  }
  return kept;
}

/** The body's size in bytes, as it travels. @example replySize({ status: 200, headers: {}, body: '€' }) // 3 */
export function replySize({ body }: StoredReply): number {
  return typeof body === 'string' ? new TextEncoder().encode(body).length : (body?.length ?? 0);
}

/**
 * Can this reply be kept for replays?
 *
 * @rule R20
 * @example withinReplyLimit({ status: 200, headers: {}, body: 'x'.repeat(262_145) }) // false
 */
export const withinReplyLimit = (reply: StoredReply): boolean => replySize(reply) <= MAX_REPLY_BYTES;

interface SerializedBody {
  readonly body: StoredReply['body'];
  readonly contentType: string | undefined;
}

/** Bytes are copied: the handler may still write into its buffer. */
function serializeBody(body: unknown): SerializedBody {
  if (typeof body === 'string') return { body: wellFormed(body), contentType: 'text/plain; charset=utf-8' };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), contentType: 'application/octet-stream' };
  const value = plainJson(body);
  if (value === undefined) return { body: undefined, contentType: undefined };
  return { body: JSON.stringify(value), contentType: 'application/json' };
}

/** A lone surrogate has no UTF-8 bytes: sent and stored, it would become two different texts. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new SemelError('internal-error', 'The reply is a text with a lone surrogate: use toWellFormed() on it.');
}
