/**
 * What DynamoDB's standard table class costs in us-east-1, in US dollars without tax and free tier. Other Regions cost up
 * to a half more; look them up before a decision depends on them.
 *
 * @see https://aws.amazon.com/dynamodb/pricing/on-demand/
 * @see https://aws.amazon.com/dynamodb/pricing/provisioned/
 */
export const PRICES = {
  region: 'us-east-1',
  /** When these prices were announced. */
  since: '2024-11',
  perMillionWriteUnits: 0.625,
  perMillionReadUnits: 0.125,
  perWriteUnitHour: 0.00065,
  perReadUnitHour: 0.00013,
  /** Storage, for a GB and a month. */
  perGigabyte: 0.25,
  /** Continuous backups (point-in-time recovery), for a GB and a month. */
  perGigabyteBackup: 0.2,
} as const;

/** AWS counts months in hours; this is the average one. */
export const HOURS_A_MONTH = 730;
