import type { InProgressRecord } from '../protocol/record.ts';

/** A condition on the record's item, in the shape every DynamoDB write takes. */
export interface RecordCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/**
 * The first try: nobody has used this key. Alone, since an expiry test in here would let a late attempt replace a
 * record that it has not looked at.
 *
 * @rule R8
 */
export const IF_ABSENT: RecordCondition = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * The second try, over a record whose retention is over: still the one that was looked at, by its owner token.
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

/**
 * The fence of every write by an owner: still the owner, and still in progress. The token alone would let an attempt
 * overwrite its own completed reply.
 *
 *     attempt 1  claim ──────── sleeps past its lease ─────────── complete ✗ (token is B)
 *     attempt 2                        takeover (token B) ─ complete ✓
 *
 * @rule R12
 */
export const ifHeldBy = (ownerToken: string): RecordCondition => ({
  ConditionExpression: 'ownerToken = :owner AND #status = :inProgress',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':owner': ownerToken, ':inProgress': 'in_progress' },
});

/**
 * A takeover's compare-and-set: the record is as it was when its lease was seen to have lapsed. The lease belongs to the
 * comparison, since an owner that extended it meanwhile is alive, and so does the recovery point, since an owner that
 * wakes up late may still commit a phase, which must not be forgotten.
 *
 * @rule R11
 */
export const ifStill = (seen: InProgressRecord): RecordCondition => {
  const held = ifHeldBy(seen.ownerToken);
  const { leaseUntil, recoveryPoint, recoveryData } = seen;
  const phase = [same('recoveryPoint', recoveryPoint), same('recoveryData', recoveryData)].join(' AND ');
  return {
    ConditionExpression: `${held.ConditionExpression} AND leaseUntil = :lease AND ${phase}`,
    ExpressionAttributeNames: { ...held.ExpressionAttributeNames },
    ExpressionAttributeValues: {
      ...held.ExpressionAttributeValues,
      ':lease': leaseUntil,
      ...(recoveryPoint !== undefined && { ':recoveryPoint': recoveryPoint }),
      ...(recoveryData !== undefined && { ':recoveryData': recoveryData }),
    },
  };
};

const same = (attribute: string, value: string | undefined): string =>
  value === undefined ? `attribute_not_exists(${attribute})` : `${attribute} = :${attribute}`;
