import { SQSClient } from '@aws-sdk/client-sqs';

/** A send takes about 10 ms; one that takes this long will not come back. */
const REQUEST_TIMEOUT_MS = 2_000;
const CONNECTION_TIMEOUT_MS = 500;

/**
 * An SQS client whose timeouts are set, since the SDK has none by default and only warns about a slow answer unless told
 * to throw.
 *
 * @default region and credentials from the environment, as in Lambda
 */
export const queueClient = (options: { readonly endpoint?: string; readonly region?: string } = {}): SQSClient =>
  new SQSClient({
    ...options,
    maxAttempts: 3,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });

let shared: SQSClient | undefined;

/** One client per execution environment, so that connections are reused. */
export function sharedQueueClient(): SQSClient {
  shared ??= queueClient();
  return shared;
}
