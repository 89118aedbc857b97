/** A call that did not go through now but may go through in a moment; anything else is a fault and is thrown. */
export interface Setback {
  readonly kind: 'setback';
  readonly reason: 'conflict' | 'throttle' | 'unreachable';
}

const CONFLICTS = new Set(['TransactionConflictException', 'TransactionInProgressException', 'TransactionConflict']);
const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ThrottlingException',
  'ThrottledException',
]);

/**
 * Tells a passing setback from a fault by the error's name and status (R22).
 *
 * A conflict means that another transaction holds an item; single writes meet it as well. No status at all means that
 * the answer was lost: the write may have been applied, and the caller's own token tells (R10).
 *
 * @rule R22
 * @returns undefined for a fault: a denied, malformed or impossible call, which no retry mends
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
export function readSetback(error: unknown): Setback | undefined {
  if (!(error instanceof Error)) return undefined;
  if (CONFLICTS.has(error.name)) return { kind: 'setback', reason: 'conflict' };
  if (THROTTLES.has(error.name)) return { kind: 'setback', reason: 'throttle' };
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const answered = status !== undefined && status < 500;
  const fromTheWire = '$metadata' in error || 'code' in error || NETWORK_NAMES.has(error.name);
  return !answered && fromTheWire ? { kind: 'setback', reason: 'unreachable' } : undefined;
}

const NETWORK_NAMES = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'NetworkingError']);
