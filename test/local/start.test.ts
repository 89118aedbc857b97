import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';
import { SetupError } from '../../lib/local/setup-error.ts';
import { startLocalCloud } from '../../lib/local/start.ts';
import { readItems } from '../../lib/local/table-contents.ts';
import { deleteTables, localClient } from '../../lib/local/tables.ts';
import type { TemplateResource } from '../../lib/local/template.ts';
import { tinyTemplate, writeAssembly } from './tiny-stack.ts';

const assemblies: Awaited<ReturnType<typeof writeAssembly>>[] = [];
let tiny: string;

async function assemblyOf(template: object): Promise<string> {
  const assembly = await writeAssembly(template);
  assemblies.push(assembly);
  return assembly.directory;
}
beforeAll(async () => {
  tiny = await assemblyOf(tinyTemplate());
});
afterAll(() => {
  for (const { remove } of assemblies) remove();
});

const start = (assembly: string, more: object = {}) =>
  startLocalCloud({ assembly, port: 0, dynamodbEndpoint: inject('dynamodb'), ...more });
const changed = (changes: Record<string, Partial<TemplateResource>>) => {
  const { Resources } = tinyTemplate();
  for (const [name, change] of Object.entries(changes)) {
    Resources[name] = {
      ...Resources[name],
      Type: '',
      ...Resources[name],
      ...change,
      Properties: { ...Resources[name]?.Properties, ...change.Properties },
    } as TemplateResource;
  }
  return assemblyOf({ Resources });
};

describe('startLocalCloud', () => {
  it('tells what needs no running, and leaves no table behind', async () => {
    const cloud = await start(tiny);
    expect(cloud.notRun).toEqual(['AWS::Logs::LogGroup (1)']);
    const client = localClient(cloud.dynamodbEndpoint);
    expect(await readItems(client, String(cloud.tableNames.data))).toEqual([]);
    await cloud.stop();
    await expect(readItems(client, String(cloud.tableNames.data))).rejects.toThrow('non-existent table');
    await expect(fetch(cloud.url)).rejects.toThrow('fetch failed');
  });

  it('runs twice at once on one DynamoDB, each with tables of its own', async () => {
    const [one, other] = await Promise.all([start(tiny), start(tiny)]);
    expect(one.tableNames.data).not.toBe(other.tableNames.data);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('can be looked at without an API', async () => {
    const { Resources } = tinyTemplate();
    const isApi = ([, { Type }]: [string, TemplateResource]) => /^AWS::(ApiGatewayV2|Lambda::Permission)/.test(Type);
    const withoutApi = Object.fromEntries(Object.entries(Resources).filter((resource) => !isApi(resource)));
    const cloud = await start(await assemblyOf({ Resources: withoutApi }));
    expect((await fetch(`${cloud.url}/_local/state`)).status).toBe(200);
    expect((await fetch(`${cloud.url}/things`)).status).toBe(404);
    await cloud.stop();
  });

  it('answers 503 while its DynamoDB is dead, and goes on', async () => {
    const { port: far, hostname } = new URL(inject('dynamodb'));
    const open = new Set<Socket>();
    const door = createServer((near) => {
      const onward = connect(Number(far), hostname);
      for (const socket of [near, onward]) open.add(socket.on('error', () => {}));
      near.pipe(onward).pipe(near);
    });
    await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
    const { port } = door.address() as AddressInfo;
    const cloud = await start(tiny, { dynamodbEndpoint: `http://127.0.0.1:${port}` });
    const state = () => fetch(`${cloud.url}/_local/state`);
    expect((await state()).status).toBe(200);
    door.close();
    for (const socket of open) socket.destroy();
    const answer = await state();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ title: 'The local cloud cannot answer', status: 503 });
    await new Promise<void>((listening) => door.listen(port, '127.0.0.1', listening));
    expect((await state()).status).toBe(200);
    await cloud.stop();
    for (const socket of open) socket.destroy();
    door.close();
  });

  it('says which port is taken', async () => {
    const squatter = createServer();
    await new Promise<void>((listening) => squatter.listen(0, '127.0.0.1', listening));
    const { port } = squatter.address() as { port: number };
    await expect(start(tiny, { port })).rejects.toThrow(`Port ${port} is taken. Set PORT to another one.`);
    squatter.close();
  });

  it('says what to run when there is no assembly', async () => {
    await expect(start('/nonexistent')).rejects.toThrow(SetupError);
    await expect(start('/nonexistent')).rejects.toThrow('npm run synth');
  });

  it('names every resource of a type that it cannot run', async () => {
    const Properties = {};
    const assembly = await changed({
      Bucket: { Type: 'AWS::S3::Bucket', Properties },
      Cluster: { Type: 'AWS::ECS::Cluster', Properties },
    });
    await expect(start(assembly)).rejects.toThrow('Bucket (AWS::S3::Bucket), Cluster (AWS::ECS::Cluster)');
  });

  it.each<[string, Record<string, Partial<TemplateResource>>]>([
    [
      'Function: Fn::ImportValue is not understood',
      { Function: { Properties: { Description: { 'Fn::ImportValue': 'x' } } } },
    ],
    ['Function: Layers of a function cannot', { Function: { Properties: { Layers: ['x'] } } }],
    ['Function: only Node functions', { Function: { Properties: { Runtime: 'python3.13' } } }],
    ['Function: its code is not an asset', { Function: { Properties: { Code: { ZipFile: 'x' } } } }],
    ['has no file for the handler main.handler', { Function: { Properties: { Handler: 'main.handler' } } }],
    ['Table: ResourcePolicy of a table cannot', { Table: { Properties: { ResourcePolicy: {} } } }],
    [
      'Policy: a policy statement with Condition',
      { Policy: { Properties: { PolicyDocument: { Statement: { Effect: 'Allow', Condition: {} } } } } },
    ],
  ])('refuses what would run differently in AWS: %s', async (message, changes) => {
    await expect(start(await changed(changes))).rejects.toThrow(message);
  });

  it('leaves out what a condition leaves out', async () => {
    const { Resources } = tinyTemplate();
    const Route1 = { Type: '', ...Resources.Route1, Condition: 'Never' };
    const cloud = await start(
      await assemblyOf({ Resources: { ...Resources, Route1 }, Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } } }),
    );
    expect((await fetch(`${cloud.url}/impatient/put`)).status).toBe(404);
    expect((await fetch(`${cloud.url}/none`)).status).toBe(204);
    await cloud.stop();
  });

  it('answers 500 when a function cannot be loaded, and says why', async () => {
    const printed: string[] = [];
    const cloud = await start(await changed({ Function: { Properties: { Handler: 'index.missing' } } }), {
      log: (line: string) => printed.push(line),
    });
    expect((await fetch(`${cloud.url}/echo`)).status).toBe(500);
    expect(printed.join('\n')).toContain('exports no function missing');
    await cloud.stop();
  });

  it('refuses a seed for a table that no function has', async () => {
    await expect(start(tiny, { seed: [{ table: 'idempotency', Item: { pk: 'x' } }] })).rejects.toThrow(
      'IDEMPOTENCY_TABLE_NAME',
    );
  });
});

describe('kept data', () => {
  const client = localClient(inject('dynamodb'));
  const dataDir = mkdtempSync(join(tmpdir(), 'semel-kept-'));
  afterAll(async () => {
    await deleteTables(client, ['Tiny-Table']);
    rmSync(dataDir, { recursive: true });
  });

  it('outlives a restart, the seed does not overwrite it, and another shape is refused', async () => {
    // The tables have fixed names with a data directory; that DynamoDB Local keeps them is its launcher's test.
    const keeping = (assembly: string, value: string) =>
      start(assembly, { dataDir, seed: [{ table: 'data', Item: { pk: 'a', sk: 'entry', value } }] });
    const first = await keeping(tiny, 'first');
    expect(first.tableNames).toEqual({ data: 'Tiny-Table' });
    await fetch(`${first.url}/put?id=b`);
    await first.stop();

    const second = await keeping(tiny, 'second');
    await expect(keeping(tiny, 'meanwhile')).rejects.toThrow(`already runs on the data in ${dataDir}`);
    const items = await readItems(client, 'Tiny-Table');
    expect(new Map(items.map(({ pk, value }) => [pk, value]))).toEqual(
      new Map([
        ['a', 'first'],
        ['b', undefined],
      ]),
    );
    await second.stop();

    const index = { IndexName: 'new', KeySchema: [{ AttributeName: 'attempt', KeyType: 'HASH' }] };
    const GlobalSecondaryIndexes = [{ ...index, Projection: { ProjectionType: 'ALL' } }];
    const other = await changed({ Table: { Properties: { GlobalSecondaryIndexes } } });
    await expect(keeping(other, 'third')).rejects.toThrow('Tiny-Table has other keys or indexes');
  });
});

describe('DynamoDB Local', () => {
  it('may go away and come back: calls are cut meanwhile', { timeout: 60_000 }, async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', '');
    const before = await startDynamoDb();
    const cloud = await start(tiny, { dynamodbEndpoint: before.endpoint });
    const put = async () => (await fetch(`${cloud.url}/put?id=a`)).json();
    expect(await put()).toMatchObject({ $metadata: { httpStatusCode: 200 } });
    await before.stop();
    expect(await put()).toMatchObject({ code: 'ECONNRESET' });
    // In memory, so the table is gone: that DynamoDB Local says so shows that it was reached.
    const after = await startDynamoDb({ port: Number(new URL(before.endpoint).port) });
    expect(await put()).toMatchObject({ name: 'ResourceNotFoundException' });
    await cloud.stop();
    await after.stop();
  });
});
