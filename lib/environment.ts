/**
 * The names of the environment variables that the stack sets and the functions read: the one thing both sides share.
 */
export const ENVIRONMENT = {
  /** Semel's own table: records, markers, inboxes, outbox. */
  idempotencyTable: 'IDEMPOTENCY_TABLE_NAME',
  /** The table that effects without a `TableName` go to, and that handlers read. */
  dataTable: 'DATA_TABLE_NAME',
  /** Makes key hashes HMACs under this secret; for as long as records live it must stay the same (R3). */
  keySecret: 'IDEMPOTENCY_KEY_SECRET',
  /** The key of KMS under which the bodies of stored replies are encrypted. */
  replyKeyArn: 'REPLY_KEY_ARN',
  /** The key itself, 32 bytes in base64, where there is no KMS: on one's own machine. */
  replyKey: 'REPLY_KEY',
  /** Names the service in logs and metrics. */
  serviceName: 'POWERTOOLS_SERVICE_NAME',
  /** Where the payment provider is reached. */
  providerUrl: 'PROVIDER_URL',
  /** After how many milliseconds a call to the provider counts as unanswered. */
  providerTimeout: 'PROVIDER_TIMEOUT_MS',
  /** The sandbox provider's own table. */
  providerTable: 'PROVIDER_TABLE_NAME',
  /** Above how many minor units a transfer is told of. */
  largeTransferLimit: 'LARGE_TRANSFER_LIMIT',
  /** The queue that a function consumes, or sends to. */
  queueUrl: 'QUEUE_URL',
  /** Where a consumer puts what can never be applied. */
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  /** For how many seconds a consumer's markers are kept; the stack computes it from the queue's retentions (R28). */
  markerRetention: 'MARKER_RETENTION_SECONDS',
} as const;

/** The variable that holds a webhook source's secrets, one a line: on one's own machine. @example webhookSecretName('stripe') // 'WEBHOOK_SECRET_STRIPE' */
export const webhookSecretName = (source: string): string => `WEBHOOK_SECRET_${asVariable(source)}`;

/** The variable that names the Secrets Manager secret of a webhook source. @example webhookSecretArnName('stripe') // 'WEBHOOK_SECRET_ARN_STRIPE' */
export const webhookSecretArnName = (source: string): string => `WEBHOOK_SECRET_ARN_${asVariable(source)}`;

const asVariable = (source: string): string => source.toUpperCase().replaceAll('-', '_');
