/** An exception as DynamoDB answers it: HTTP status and JSON body. */
export interface AwsError {
  readonly status: number;
  /** The exception's name, as the SDK throws it. */
  readonly name: string;
  readonly body: string;
}

const DYNAMODB = 'com.amazonaws.dynamodb.v20120810';
const COMMON = 'com.amazon.coral.service';

const awsError = (namespace: string, name: string, members: object): AwsError => ({
  status: 400,
  name,
  body: JSON.stringify({ __type: `${namespace}#${name}`, ...members }),
});

/** The role's policies do not allow it; the message names who may not do what, and where. */
export const accessDenied = (principal: string, action: string, resource: string): AwsError =>
  awsError(COMMON, 'AccessDeniedException', {
    Message:
      `User: ${principal} is not authorized to perform: ${action} on resource: ${resource} ` +
      `because no identity-based policy allows the ${action} action`,
  });

/** The access key belongs to no function. */
export const unknownClient = (): AwsError =>
  awsError(COMMON, 'UnrecognizedClientException', {
    message: 'The security token included in the request is invalid.',
  });

/** The service or the action is not run here. */
export const unknownOperation = (target: string): AwsError =>
  awsError(COMMON, 'UnknownOperationException', {
    message: `The local cloud does not run ${target || 'this request'}.`,
  });

/** What an on-demand table answers when a partition takes more than it can. */
export const throttled = (): AwsError =>
  awsError('com.amazon.coral.availability', 'ThrottlingException', {
    message: 'Throughput exceeds the current capacity of your table or index. (injected by Local-Fault)',
  });

/** Another transaction holds an item: an exception of its own for single writes, a cancellation for a transaction. */
export function conflict(transactionItems: number | undefined): AwsError {
  if (transactionItems === undefined) {
    return awsError(DYNAMODB, 'TransactionConflictException', { message: 'Transaction is ongoing for the item' });
  }
  const reasons = Array.from({ length: transactionItems }, (_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
  );
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return awsError(DYNAMODB, 'TransactionCanceledException', {
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
  });
}
