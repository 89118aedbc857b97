import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { newCaller } from '../setup/http-caller.ts';

const TEMPLATE = 'Semel.template.json';
let directory: string;
let cloud: LocalCloud;

/** The same assembly, but for one action that the role of Transfers no longer has. */
beforeAll(async () => {
  const { assembly, dynamodbEndpoint } = inject('cloud');
  directory = mkdtempSync(join(tmpdir(), 'semel-missing-grant-'));
  for (const name of readdirSync(assembly)) symlinkSync(join(assembly, name), join(directory, name));
  rmSync(join(directory, TEMPLATE));
  const template = JSON.parse(readFileSync(join(assembly, TEMPLATE), 'utf8'));
  const [policy] = Object.keys(template.Resources).filter((id) => /^Transfers.*Policy/.test(id));
  const { Statement } = template.Resources[policy ?? ''].Properties.PolicyDocument;
  for (const statement of Statement) {
    statement.Action = [statement.Action].flat().filter((action: string) => action !== 'dynamodb:UpdateItem');
  }
  writeFileSync(join(directory, TEMPLATE), JSON.stringify(template));
  cloud = await startLocalCloud({ assembly: directory, dynamodbEndpoint, port: 0 });
}, 60_000);
afterAll(async () => {
  await cloud.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('R22 a function whose role lacks one action of its plan fails, and nothing of the plan is done', async () => {
  const caller = await newCaller(cloud);
  const from = await caller.openAccount(100);
  const to = await caller.openAccount();
  const request = { key: randomUUID(), body: { from, to, amount: 1 } };
  expect(await caller.post('/transfers', request)).toMatchObject({
    status: 500,
    json: { type: '/problems/internal-error' },
  });
  expect(await caller.balanceOf(from)).toBe(100);
  expect((await caller.ledger()).entries).toHaveLength(1);
});
