import type { Item } from './plan.ts';

/** One reason of a TransactionCanceledException, its item already unmarshalled; the record's is the first. */
export type CancellationReason = {
  readonly Code?: string;
  readonly Message?: string;
  readonly Item?: Item;
};

/** What to do about a cancelled transaction. */
export type Cancellation =
  /** The record decides; undefined: it was expected, and is gone since (released, or expired and swept). */
  | { readonly kind: 'record'; readonly item: Item | undefined }
  /** A condition of this effect (counted without the record) failed: ask its `refuse(old)`. */
  | { readonly kind: 'effect'; readonly index: number; readonly old: Item | undefined }
  /** Nothing is decided yet: the same again. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** DynamoDB will never take this plan: a fault of whoever made it. */
  | { readonly kind: 'rejected'; readonly reason: string };

const CONDITION_FAILED = 'ConditionalCheckFailed';

/** Reasons that the same transaction meets again, however often it is sent. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'ValidationError',
  'ItemCollectionSizeLimitExceeded',
  'DuplicateItem',
]);

/**
 * Reads why a transaction was cancelled, the record's reason first.
 *
 * While the record's own reason is a conflict, an effect's failed condition means nothing: a first attempt that is
 * committing right now may be the one who took the money. Only when the record was free does an effect speak for itself.
 *
 * @rule R22
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 * @example readCancellation([{ Code: 'TransactionConflict' }, { Code: 'ConditionalCheckFailed' }])
 * // { kind: 'retry', reason: 'TransactionConflict' }
 */
export function readCancellation(reasons: readonly CancellationReason[]): Cancellation {
  const [record, ...effects] = reasons;
  if (record?.Code === CONDITION_FAILED) return { kind: 'record', item: record.Item };
  if (record !== undefined && happened(record)) return retryOrRejection(record);
  const index = effects.findIndex(({ Code }) => Code === CONDITION_FAILED);
  if (index >= 0) return { kind: 'effect', index, old: effects[index]?.Item };
  const cause = effects.find(isRejection) ?? effects.find(happened);
  return cause === undefined ? { kind: 'retry', reason: 'no reason given' } : retryOrRejection(cause);
}

function retryOrRejection(cause: CancellationReason): Cancellation {
  const code = cause.Code ?? '';
  if (!isRejection(cause)) return { kind: 'retry', reason: code };
  return { kind: 'rejected', reason: cause.Message === undefined ? code : `${code}: ${cause.Message}` };
}

const happened = ({ Code }: CancellationReason): boolean => Code !== undefined && Code !== 'None';
const isRejection = ({ Code }: CancellationReason): boolean => Code !== undefined && REJECTIONS.has(Code);
