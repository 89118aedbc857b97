import type { ZodType } from 'zod';
import type { RequestBody } from '../protocol/fingerprint.ts';
import { decodeUtf8, parseIJson } from '../protocol/i-json.ts';
import { SemelError } from '../protocol/problems.ts';
import type { HttpRequest } from './request.ts';

/** 256 KB of decoded body; with the record around it, an item stays under DynamoDB's 400 KB. */
export const MAX_BODY_BYTES = 262_144;

/** A parameter may be left out between its semicolons (RFC 9110, section 5.6.6). */
const JSON_TYPE = /^application\/json\s*(?:;\s*(?:charset\s*=\s*"?utf-8"?\s*)?)*$/i;

/**
 * Reads a body, in the form that is fingerprinted (R6). `json` takes JSON only; `any` takes JSON as JSON and other media
 * types by their bytes.
 *
 * @rule R6
 * @throws SemelError `body-too-large`, `media-type-unsupported` or `invalid-body`, before anything is claimed
 */
export function readBody(request: HttpRequest, accepts: 'json' | 'any'): RequestBody {
  const bytes = request.body;
  if (bytes === undefined) return { kind: 'none' };
  if (bytes.byteLength > MAX_BODY_BYTES) {
    throw new SemelError(
      'body-too-large',
      `The body has ${bytes.byteLength} bytes; at most ${MAX_BODY_BYTES} are taken.`,
    );
  }
  const mediaType = request.header('Content-Type').join(',').trim();
  if (JSON_TYPE.test(mediaType)) return { kind: 'json', value: parseIJson(decodeUtf8(bytes)) };
  if (accepts === 'any') return { kind: 'bytes', bytes, mediaType };
  const got = mediaType === '' ? 'none was given' : `${JSON.stringify(mediaType.slice(0, 100))} was given`;
  throw new SemelError('media-type-unsupported', `Content-Type must be application/json; ${got}.`);
}

/**
 * Checks a body against its schema and lists every finding by its path. No body at all is fine where the schema says so.
 *
 * @throws SemelError `invalid-body` with `errors[]`
 */
export function parseBody<Body>(schema: ZodType<Body>, body: RequestBody): Body {
  if (body.kind !== 'json') {
    const without = schema.safeParse(undefined);
    if (without.success) return without.data;
    throw new SemelError('invalid-body', 'A JSON body is required.', { errors: [{ path: '', message: 'missing' }] });
  }
  const parsed = schema.safeParse(structuredClone(body.value));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: pointer(path), message }));
  const [first] = errors;
  throw new SemelError('invalid-body', `${first?.path || 'The body'}: ${first?.message}.`, { errors });
}

/** A JSON pointer (RFC 6901). @example pointer(['a', 0]) // '/a/0' */
const pointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
