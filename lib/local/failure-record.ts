import { randomUUID } from 'node:crypto';
import type { StreamSource } from './event-sources.ts';

/**
 * What an on-failure destination learns of a batch that was given up: where it lies in the stream, not what it says.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
export const failureRecord = (
  { functionArn, sourceArn }: StreamSource,
  sequenceNumbers: readonly string[],
  approximateInvokeCount: number,
  now: Date,
) => ({
  requestContext: {
    requestId: randomUUID(),
    functionArn: `${functionArn}:$LATEST`,
    condition: 'RetryAttemptsExhausted',
    approximateInvokeCount,
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: now.toISOString(),
  DDBStreamBatchInfo: {
    startSequenceNumber: sequenceNumbers[0],
    endSequenceNumber: sequenceNumbers.at(-1),
    batchSize: sequenceNumbers.length,
    streamArn: sourceArn,
  },
});
