import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Longer than a healthy table needs; twice this still leaves room for a 503 within three seconds (R21). */
const REQUEST_TIMEOUT_MS = 1_200;
const CONNECTION_TIMEOUT_MS = 500;
/** One quick resend by the SDK; the engine retries what outlasts it, inside the request's own time (R22). */
const MAX_ATTEMPTS = 2;

/**
 * The document client that every store call goes through: its timeouts are set, since the SDK has none by default and
 * only warns about a slow answer unless told to throw.
 *
 * @default region and credentials from the environment, as in Lambda
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function documentClient(options: { endpoint?: string; region?: string } = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...options,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
