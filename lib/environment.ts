/**
 * The names of the environment variables that the stack sets and the functions read: the one thing both sides share.
 */
export const ENVIRONMENT = {
  /** Semel's own table: records, markers, inboxes, outbox. */
  idempotencyTable: 'IDEMPOTENCY_TABLE_NAME',
  /** The table that effects without a `TableName` go to, and that handlers read. */
  dataTable: 'DATA_TABLE_NAME',
  /** Names the service in logs and metrics. */
  serviceName: 'POWERTOOLS_SERVICE_NAME',
  /** Where the payment provider is reached. */
  providerUrl: 'PROVIDER_URL',
  /** After how many milliseconds a call to the provider counts as unanswered. */
  providerTimeout: 'PROVIDER_TIMEOUT_MS',
  /** The sandbox provider's own table. */
  providerTable: 'PROVIDER_TABLE_NAME',
} as const;
