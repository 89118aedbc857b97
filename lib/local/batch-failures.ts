import type { Outcome } from './invocation.ts';

/**
 * Which of a batch a function reported as failed; `all` where it failed as a whole, or reported in a way that Lambda does
 * not understand.
 * @param reports does the mapping ask for reports (FunctionResponseTypes)? If not, a function that returns has handled all
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 * @example failuresOf({ kind: 'returned', payload: '{"batchItemFailures":[{"itemIdentifier":"b"}]}' }, ['a', 'b'], true)
 * // Set { 'b' }
 */
export function failuresOf(outcome: Outcome, ids: readonly string[], reports: boolean): ReadonlySet<string> | 'all' {
  if (outcome.kind !== 'returned') return 'all';
  if (!reports) return new Set();
  const failures = reportedIn(outcome.payload);
  return failures.every((id) => ids.includes(id)) ? new Set(failures) : 'all';
}

/** An identifier that is missing or of another kind than a text comes back as an empty one, which no item has. */
function reportedIn(payload: string): string[] {
  const { batchItemFailures } = Object(JSON.parse(payload)) as { readonly batchItemFailures?: unknown };
  if (batchItemFailures == null) return [];
  if (!Array.isArray(batchItemFailures)) return [''];
  return batchItemFailures.map((failure) => {
    const { itemIdentifier } = Object(failure) as { readonly itemIdentifier?: unknown };
    return typeof itemIdentifier === 'string' ? itemIdentifier : '';
  });
}
