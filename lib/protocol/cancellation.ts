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
  const failed = effects.find(({ Code }) => Code === CONDITION_FAILED);
  if (failed !== undefined) return { kind: 'effect', index: effects.indexOf(failed), old: failed.Item };
  const causes = effects.filter(happened);
  const cause = causes.find(isRejection) ?? causes[0];
  return cause === undefined ? { kind: 'retry', reason: 'no reason given' } : retryOrRejection(cause);
}

/** A reason that is one. */
type Cause = CancellationReason & { readonly Code: string };

function retryOrRejection(cause: Cause): Cancellation {
  const { Code: code, Message: message } = cause;
  if (!isRejection(cause)) return { kind: 'retry', reason: code };
  return { kind: 'rejected', reason: message === undefined ? code : `${code}: ${message}` };
}

const happened = (reason: CancellationReason): reason is Cause => reason.Code !== undefined && reason.Code !== 'None';
const isRejection = ({ Code }: Cause): boolean => REJECTIONS.has(Code);
