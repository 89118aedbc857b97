import { fromBase64Url, toBase64Url } from './base64url.ts';
import { SemelError } from './problems.ts';
import { uuidText } from './uuid.ts';

interface OperationIdParts {
  /** SHA-256 of the scoped key: finds the record. */
  readonly keyHash: Uint8Array;
  /** A UUIDv7's 16 bytes in base64url: must match the record, since a key can be used again after its retention. */
  readonly nonce: string;
}

const KEY_HASH_BYTES = 32;
const NONCE_BYTES = 16;

/**
 * Writes an operation id: the reference that providers, logs and clients share, made at the first claim and kept.
 *
 * @throws SemelError `internal-error` for parts that `parseOperationId` would not read back
 * @example formatOperationId(keyHash, 'AZrVAAAAcACAAAAAAAAAAQ') // 'op_47DEQpj8….AZrVAAAAcACAAAAAAAAAAQ'
 */
export function formatOperationId(keyHash: Uint8Array, nonce: string): string {
  if (keyHash.length !== KEY_HASH_BYTES || fromBase64Url(nonce)?.length !== NONCE_BYTES) {
    throw new SemelError(
      'internal-error',
      `An operation id needs a hash of ${KEY_HASH_BYTES} bytes and a nonce of ${NONCE_BYTES} bytes in base64url.`,
    );
  }
  return `op_${toBase64Url(keyHash)}.${nonce}`;
}

/**
 * Takes an operation id apart; undefined for any text that is not one, down to the last bit.
 *
 * @example parseOperationId('op_x.y') // undefined
 */
export function parseOperationId(id: string): OperationIdParts | undefined {
  const [, hashText = '', nonce = ''] = /^op_([\w-]+)\.([\w-]+)$/.exec(id) ?? [];
  const keyHash = fromBase64Url(hashText);
  if (keyHash?.length !== KEY_HASH_BYTES || fromBase64Url(nonce)?.length !== NONCE_BYTES) return undefined;
  return { keyHash, nonce };
}

/**
 * The UUID inside an operation id; ids of what the operation creates derive from it, so they survive a takeover.
 *
 * @throws SemelError `internal-error` when the text is no operation id
 * @example `tr_${operationUuid(id)}` // 'tr_019ad500-0000-7000-8000-000000000001'
 */
export function operationUuid(id: string): string {
  const parts = parseOperationId(id);
  if (parts === undefined) throw new SemelError('internal-error', 'An id can only be derived from an operation id.');
  return uuidText(fromBase64Url(parts.nonce) ?? new Uint8Array());
}
