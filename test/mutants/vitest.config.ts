import { defineConfig } from 'vitest/config';

/** The protocol needs no DynamoDB: without the setup of the other tests a mutant costs milliseconds. */
export default defineConfig({
  test: {
    include: ['test/protocol/**/*.test.ts'],
    // Instrumented code is slower: the clock would kill mutants that no assertion has noticed.
    exclude: ['test/protocol/linear-time.test.ts'],
    pool: 'threads',
  },
});
