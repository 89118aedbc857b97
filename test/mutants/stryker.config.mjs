/** What `npm run mutants:protocol` mutates, and by which tests it must be noticed. */
export default {
  mutate: ['lib/protocol/**/*.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // Stryker rewrites a tsconfig with TypeScript's JavaScript API, which TypeScript 7 does not have; vite needs no tsconfig.
  tsconfigFile: 'none',
  // The copy that is mutated needs no more of the project.
  ignorePatterns: ['**', '!lib/**', '!test/**', '!package.json'],
  tempDirName: '.stryker-tmp',
  // A little below what is reached; what survives needs a reason, such as a default that only the types ask for.
  thresholds: { high: 100, low: 99, break: 97 },
  reporters: ['clear-text', 'json'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: 'reports/stryker.json' },
};
