import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { writeSamples } from '../setup/doc-samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'semel-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const client = pathToFileURL(join(PROJECT_ROOT, 'lib/exports/client.ts')).href;
const run = async (file: string) => (await promisify(execFile)(process.execPath, [file], { cwd: folder })).stdout;

describe('the samples of docs/client.md', () => {
  beforeAll(() => {
    const here = (text: string) =>
      text.replaceAll("'semel/client'", `'${client}'`).replaceAll('http://localhost:4000', inject('cloud').url);
    expect(writeSamples('docs/client.md', folder, here)).toEqual(['pay.ts', 'storage.ts', 'till.ts']);
  });

  it('R39 pay once, over a restart of the client too', async () => {
    const first = await run('pay.ts');
    expect(first).toMatch(/^Paid \{.*ch_/s);
    expect(await run('pay.ts')).toBe(first);
  });

  it('R41 send in order', async () => {
    expect(await run('till.ts')).toMatch(/^Message \d+ is taken in, \d not applied yet\n$/);
  });
});
