import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The package is built for its own tests: npm run test:package.
    exclude: ['test/package/**', 'node_modules/**'],
    // One DynamoDB Local for the whole run; every test file makes tables of its own names in it.
    globalSetup: ['test/setup/dynamodb.ts', 'test/setup/local-cloud.ts'],
    // Worker threads start faster than processes, and no test changes what its process shares (cwd, signals).
    pool: 'threads',
    // Most files wait for DynamoDB Local, a worker or a browser: a third of two cores would be idle.
    maxWorkers: availableParallelism() + 1,
    // DynamoDB Local serializes transactions, so a busy two-core machine needs room in the slow tests.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Thousands of lines would bury a failure; the tests of what is logged and counted ask for them.
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    reporters: ['default'],
  },
});
