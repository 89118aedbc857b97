import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The endpoint of the DynamoDB Local that all tests share: give each test tables of its own. */
    dynamodb: string;
  }
}

/** Runs one DynamoDB Local for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dynamodb = await startDynamoDb();
  project.provide('dynamodb', dynamodb.endpoint);
  return dynamodb.stop;
}
