import { defineConfig } from 'vitest/config';

/** The packed package, as its users get it: apart from the other tests, since it is built for this first. */
export default defineConfig({
  test: { include: ['test/package/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000, reporters: ['default'] },
});
