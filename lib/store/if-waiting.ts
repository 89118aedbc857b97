import type { RecordCondition } from './record-condition.ts';

/**
 * The compare-and-set of an operator: the record waits for a person, and is still the one that was looked at.
 *
 * @rule R11
 */
export const ifWaiting = (ownerToken: string): RecordCondition => ({
  ConditionExpression: 'ownerToken = :owner AND #status = :waiting',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':owner': ownerToken, ':waiting': 'needs_attention' },
});
