/** A condition on the record's item, in the shape every DynamoDB write takes. */
export interface RecordCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * The first try: nobody has used this key (R8). Alone, since an expiry test in here would let a late attempt replace a
 * record that it has not looked at.
 *
 * @rule R8
 */
export const IF_ABSENT: RecordCondition = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * The second try, over a record whose retention is over: still the one that was looked at, by its owner token (R8).
 *
 * @rule R8
 */
export const ifOwnedBy = (ownerToken: string): RecordCondition => ({
  ConditionExpression: 'ownerToken = :owner',
  ExpressionAttributeValues: { ':owner': ownerToken },
});

/** The condition of a write that starts an operation: over nothing, or over an expired record. */
export const startCondition = (replaces: string | undefined): RecordCondition =>
  replaces === undefined ? IF_ABSENT : ifOwnedBy(replaces);
