import { fromBase64Url, toBase64Url } from '../protocol/base64url.ts';
import { parseOperationId } from '../protocol/operation-id.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { readRecord } from '../store/read-record.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';

const KEY_HASH_BYTES = 32;

/**
 * Where an operation's record is, by its id or by its key's hash, as logs write them; undefined for any other text.
 *
 * @example recordKey('op_47DEQpj8….AZrVAAAAcACAAAAAAAAAAQ') // 'key#47DEQpj8…'
 */
export function recordKey(reference: string): string | undefined {
  const keyHash = parseOperationId(reference)?.keyHash ?? fromBase64Url(reference);
  return keyHash?.length === KEY_HASH_BYTES ? `key#${toBase64Url(keyHash)}` : undefined;
}

/**
 * Reads the record that an operation id or a key's hash refers to, for an operator: whoever its caller is. By its hash, a
 * key that was used again after its retention leads to the newer operation; by the id of the older one, to none.
 *
 * @throws SemelError when the store does not answer
 */
export async function findOperation(
  engine: Engine,
  reference: string,
  deadline: Milliseconds,
): Promise<IdempotencyRecord | undefined> {
  const pk = recordKey(reference);
  if (pk === undefined) return undefined;
  const { record } = await persist(engine.surroundings, deadline, (signal) => readRecord(engine.store, pk, signal));
  const isNamed = reference.startsWith('op_');
  return isNamed && record?.operationId !== reference ? undefined : record;
}
