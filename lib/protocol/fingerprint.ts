import canonicalize from 'canonicalize';
import { toHex } from './hex.ts';
import { SemelError } from './problems.ts';
import type { Hash } from './scope.ts';

/** Kept on every record, so that a later way of fingerprinting can still compare with records of this one (R5). */
export const FINGERPRINT_VERSION = 1;

/** A body as the fingerprint sees it: JSON by its value, anything else by its decoded bytes and media type (R6). */
export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string };

export interface FingerprintedRequest {
  readonly method: string;
  /** As received, without the query and without a named stage. */
  readonly path: string;
  /** What follows the `?`, as received; '' when there is none. */
  readonly rawQuery: string;
  readonly body: RequestBody;
}

/**
 * Answers "is this the same request?" as SHA-256 in hexadecimal: equal for any member order and white space of a JSON
 * body, different for everything else.
 *
 * @rule R5
 * @throws SemelError `internal-error` for a version this code does not know
 * @default version FINGERPRINT_VERSION
 * @see https://www.rfc-editor.org/rfc/rfc8785
 * @example
 * fingerprint({ method: 'post', path: '/v1/transfers', rawQuery: '', body: { kind: 'json', value: { amount: 1 } } }, hash)
 * // SHA-256 of 'POST /v1/transfers\n{"amount":1}'
 */
export function fingerprint(request: FingerprintedRequest, hash: Hash, version: number = FINGERPRINT_VERSION): string {
  if (version !== FINGERPRINT_VERSION) {
    throw new SemelError(
      'internal-error',
      `Fingerprint version ${version} is unknown here (known: ${FINGERPRINT_VERSION}): a newer release wrote the record.`,
    );
  }
  return toHex(hash(requestLine(request), ...bodyParts(request.body)));
}

/**
 * Answers "is this the same event?" for what has a body and no request line: messages and webhooks.
 *
 * @rule R25
 * @example bodyFingerprint({ kind: 'json', value: { b: 1, a: 2 } }, hash) // SHA-256 of '{"a":2,"b":1}'
 */
export const bodyFingerprint = (body: RequestBody, hash: Hash): string => toHex(hash(...bodyParts(body)));

/**
 * Gateways hand out some paths already decoded, so that a `?` or a line break can stand in one; written back as they
 * travelled, they cannot be taken for the start of the query or of the body.
 */
function requestLine({ method, path, rawQuery }: FingerprintedRequest): string {
  const target = path.replaceAll('?', '%3F') + (rawQuery === '' ? '' : `?${sortQuery(rawQuery)}`);
  return `${method.toUpperCase()} ${target.replaceAll('\n', '%0A')}\n`;
}

/** Pairs by name, in code units; the sort is stable, so pairs of one name keep their order, which may matter. */
function sortQuery(rawQuery: string): string {
  const pairs = rawQuery.split('&').map((pair) => ({ pair, name: pair.replace(/=.*/s, '') }));
  pairs.sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
  return pairs.map(({ pair }) => pair).join('&');
}

/** No JSON text starts with `b`, and the media type carries its length: no two kinds of body meet in one text. */
function bodyParts(body: RequestBody): readonly (string | Uint8Array)[] {
  switch (body.kind) {
    case 'none':
      return [];
    case 'json':
      return [canonicalJson(body.value)];
    case 'bytes':
      return [`bytes ${body.mediaType.length}:${body.mediaType}\n`, body.bytes];
  }
}

function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new SemelError('internal-error', 'A JSON body must be a JSON value, not undefined.');
  return text;
}
