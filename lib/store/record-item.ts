import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../protocol/plan.ts';
import { type IdempotencyRecord, SCHEMA_VERSION } from '../protocol/record.ts';

/**
 * Reads a record from its item. Attribute names are the record's own members, so nothing is renamed; what is checked is
 * that this code is not older than the item.
 *
 * @throws Error when the item was written by a newer version: answering from a half-understood record could charge twice.
 */
export function readRecordItem(item: Item): IdempotencyRecord {
  const version = item.schemaVersion;
  if (typeof version !== 'number' || version > SCHEMA_VERSION) {
    throw new Error(
      `Item ${String(item.pk)} has schemaVersion ${String(version)}; this code reads up to ${SCHEMA_VERSION}.`,
    );
  }
  return item as unknown as IdempotencyRecord;
}

/** The item that a failed condition returned: raw attribute values even through the document client. */
export const readRaw = (item: Record<string, AttributeValue> | undefined): Item | undefined =>
  item === undefined ? undefined : unmarshall(item);
