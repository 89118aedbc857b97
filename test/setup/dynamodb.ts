import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';
import { SetupError } from '../../lib/local/setup-error.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of the DynamoDB Local that all tests share: give each test tables of its own. */
    dynamodb: string;
  }
}

/** Runs one DynamoDB Local for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dynamodb = await startDynamoDb().catch(endPlainly);
  project.provide('dynamodb', dynamodb.endpoint);
  return dynamodb.stop;
}

/** What is missing on the machine is said in its one sentence: a stack would bury it, and no test can run. */
function endPlainly(error: unknown): never {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exit(1);
}
