import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';
import { SetupError } from '../../lib/local/setup-error.ts';
import { createTables, localClient, type TableDefinition } from '../../lib/local/tables.ts';

const TABLE: TableDefinition = {
  TableName: 'kept',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  timeToLive: undefined,
};

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );

describe('startDynamoDb', () => {
  beforeEach(() => vi.stubEnv('DYNAMODB_ENDPOINT', ''));
  afterEach(() => vi.unstubAllEnvs());

  it('starts a server that ends when it is stopped', { timeout: 60_000 }, async () => {
    const dynamodb = await startDynamoDb();
    expect(await answers(dynamodb.endpoint)).toBe(true);
    await dynamodb.stop();
    expect(await answers(dynamodb.endpoint)).toBe(false);
  });

  it('keeps data in its directory over restarts', { timeout: 60_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'semel-data-'));
    const tables = [];
    for (const create of [true, false]) {
      const dynamodb = await startDynamoDb({ dataDir });
      const client = localClient(dynamodb.endpoint);
      if (create) await createTables(client, [TABLE]);
      tables.push((await client.send(new ListTablesCommand())).TableNames);
      await dynamodb.stop();
    }
    expect(tables).toEqual([['kept'], ['kept']]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('names the port when it is taken', async () => {
    const squatter = createServer();
    await new Promise<void>((listening) => squatter.listen(0, '127.0.0.1', listening));
    const { port } = squatter.address() as { port: number };
    await expect(startDynamoDb({ port })).rejects.toThrow(`Port ${port} for DynamoDB Local is taken`);
    squatter.close();
  });

  it('joins the one that DYNAMODB_ENDPOINT names, and leaves it running', async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodb'));
    const joined = await startDynamoDb();
    expect(joined.endpoint).toBe(inject('dynamodb'));
    await joined.stop();
    expect(await answers(joined.endpoint)).toBe(true);
  });

  it('says so when nothing answers at DYNAMODB_ENDPOINT', async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:9');
    await expect(startDynamoDb()).rejects.toThrow(SetupError);
  });

  it('says what to install when there is neither Java nor Docker', async () => {
    vi.stubEnv('PATH', '/nonexistent');
    await expect(startDynamoDb()).rejects.toThrow(/apt-get install .*jre/);
  });

  it('ends the tests with this one sentence then', async () => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', 'test/protocol/decide.test.ts'];
    const env = { ...process.env, PATH: '/nonexistent' };
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, args, { cwd: PROJECT_ROOT, env }, (error, _, said) =>
        resolve({ code: error?.code, stderr: said }),
      );
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java or a running Docker; neither was found\. .+\n$/);
  });
});
