import { SemelError } from '../protocol/problems.ts';
import type { Reader } from '../protocol/reader.ts';
import { apiKeyAddress, hashApiKey } from './api-keys.ts';
import type { HttpRequest } from './request.ts';

/** Finds out who is asking. @throws SemelError `unauthenticated` */
export type Authenticate = (request: HttpRequest, read: Reader) => Promise<string>;

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/**
 * The caller behind a bearer API key: looked up by the key's hash, consistently and on every request, since a key that
 * was revoked a moment ago must not replay a stored reply (R4).
 *
 * @rule R4
 * @throws SemelError `unauthenticated` for a missing, malformed, unknown or revoked key
 */
export const apiKeyCaller: Authenticate = async (request, read) => {
  const [key] = request.header('Authorization').map((value) => BEARER.exec(value)?.[1]);
  if (key === undefined) {
    throw new SemelError('unauthenticated', 'Send an API key: Authorization: Bearer <key>.');
  }
  const item = await read.get(apiKeyAddress(hashApiKey(key)));
  if (item === undefined || item.revokedAt !== undefined) {
    throw new SemelError('unauthenticated', 'The API key is unknown or was revoked.');
  }
  return String(item.caller);
};
