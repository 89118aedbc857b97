// Prints the closing line of a run from Vitest's report, and fails unless everything passed.
// Arguments: the report, Vitest's exit code, how many other steps failed.
import { existsSync, readFileSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { status: string }[];
  }[];
}

const [file = '', testsStatus, failedSteps] = process.argv.slice(2);
if (!existsSync(file)) {
  console.error('The tests ended without a report; what they said is above.');
  process.exit(1);
}
const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(readFileSync(file, 'utf8'));
/** Files that failed outside of any test, at an import or in a hook. */
const brokenFiles = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
const failedTests = numFailedTests + brokenFiles;
// An unhandled error fails the run although no test did: it counts as one.
const failed = (testsStatus === '0' ? failedTests : Math.max(1, failedTests)) + Number(failedSteps);
console.log(`${numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
