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
    // DynamoDB Local serializes transactions, so a busy two-core machine needs room in the slow tests.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default'],
  },
});
