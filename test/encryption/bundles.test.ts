import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { freshStore } from '../setup/fresh-store.ts';
import { records, send } from '../setup/purse.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'semel-vault-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Bundles as the stack does, but for the size, and answers what went in. */
async function bundle(entryPoints: readonly string[], write = true): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, write, metafile: true, format: 'esm', platform: 'node', target: 'node24' },
    mainFields: ['module', 'main'],
    conditions: ['module'],
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
  });
  return Object.keys(metafile.inputs);
}

it('R17 a function that encrypts nothing carries no cipher', async () => {
  const inputs = await bundle(globSync('functions/*.ts'), false);
  expect(inputs.length).toBeGreaterThan(100);
  expect(inputs.filter((path) => /aws-crypto|lib\/encryption/.test(path))).toEqual([]);
});

it('R17 a function that encrypts replays, bundled as it is deployed', async () => {
  await bundle(['test/encryption/vault-function.ts']);
  const store = await freshStore();
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamodb'));
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('IDEMPOTENCY_TABLE_NAME', store.table);
  vi.stubEnv('DATA_TABLE_NAME', store.dataTable);
  vi.stubEnv('REPLY_KEY', randomBytes(32).toString('base64'));
  const { handler } = await import(pathToFileURL(join(directory, 'vault-function.mjs')).href);
  const sent = { key: 'vault', body: { owner: 'alice' } };
  const first = await send(handler, sent);
  expect(first).toMatchObject({ status: 201, replayed: false });
  expect(await send(handler, sent)).toMatchObject({ status: 201, replayed: true, text: first.text });
  expect(await records(store)).toMatchObject([{ status: 'completed', encryptedReply: { bodyIs: 'text' } }]);
});
