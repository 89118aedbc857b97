/** The package's entry `semel/testing`: a synthesized stack, run on one's own machine, for tests and for trying out. */
export { type RunningDynamoDb, startDynamoDb } from '../local/dynamodb.ts';
export type { Seed } from '../local/seeded-tables.ts';
export { SetupError } from '../local/setup-error.ts';
export { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../local/start.ts';
export { apiKeySeed } from '../testing/api-key-seed.ts';
