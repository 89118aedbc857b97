import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';

/** An error as the SDK throws it, known by its name. */
export const named = (name: string): Error => Object.assign(new Error(name), { name, $metadata: {} });

/** Somebody else holds the item, or a transaction's first one. */
export function conflictOf(name: string, input: unknown): Error {
  const $metadata = { httpStatusCode: 400 };
  if (name !== 'TransactWrite') return new TransactionConflictException({ message: 'Conflict', $metadata });
  const [, ...others] = (input as { TransactItems: object[] }).TransactItems;
  const CancellationReasons = [{ Code: 'TransactionConflict' }, ...others.map(() => ({ Code: 'None' }))];
  return new TransactionCanceledException({ message: 'Conflict', CancellationReasons, $metadata });
}
