import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSamples } from '../setup/doc-samples.ts';
import { installPackage, type Project } from './installed-package.ts';
import { startExample } from './running-example.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.keys(manifest.exports).filter((name) => name !== './package.json');

/** One import of each entry, by which it shows that it is there and does something. */
const USES: Readonly<Record<string, string>> = {
  '.': "import { parseIdempotencyKey } from 'semel'; console.log(parseIdempotencyKey(['\"abc\"']));",
  './http': "import { endpoint } from 'semel/http'; console.log(typeof endpoint);",
  './queue': "import { onceConsumer } from 'semel/queue'; console.log(typeof onceConsumer);",
  './webhook': "import { stripe } from 'semel/webhook'; console.log(stripe.name);",
  './schedule': "import { reconciler } from 'semel/schedule'; console.log(typeof reconciler([]));",
  './encryption':
    "import { aesReplyCipher } from 'semel/encryption'; console.log(typeof aesReplyCipher(new Uint8Array(32)).prepare);",
  './client':
    "import { createRetryingFetch, type KeyStorage } from 'semel/client'; const localKeys: KeyStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {} }; console.log(typeof createRetryingFetch({ storage: localKeys }));",
  './cdk': "import { IdempotencyTable } from 'semel/cdk'; console.log(IdempotencyTable.UNFINISHED_INDEX);",
  './testing': "import { startLocalCloud } from 'semel/testing'; console.log(typeof startLocalCloud);",
};
const PRINTED: Readonly<Record<string, string>> = {
  '.': 'abc',
  './webhook': 'stripe',
  './cdk': 'unfinished',
};

let project: Project;
beforeAll(async () => {
  project = await installPackage();
});
afterAll(() => project?.remove());

describe('the package', () => {
  it('is linted by publint without a finding', async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({
      pkgDir: join(project.folder, 'node_modules', 'semel'),
      pack: false,
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('has types at every entry, for everyone who imports modules', async () => {
    const printed = await project.run('attw', [project.tarball, '--profile', 'esm-only', '--no-color', '--no-emoji']);
    const sound = Array.from(printed.matchAll(/"semel(.*?)" +│ OK \(ESM\) +│ OK /g), ([, path]) => `.${path}`);
    expect(sound).toEqual(entries);
  });

  it('holds what is built and its documentation, and neither sources nor tests', () => {
    const inside = readdirSync(join(project.folder, 'node_modules', 'semel')).toSorted();
    expect(inside).toEqual(['LICENSE', 'README.md', 'dist', 'docs', 'package.json']);
  });
});

describe('each entry', () => {
  it('is tried here', () => {
    expect(Object.keys(USES)).toEqual(entries);
  });

  it.each(entries)('%s runs', async (name) => {
    const file = `use-${name.replaceAll(/\W/g, '')}.ts`;
    writeFileSync(join(project.folder, file), `${USES[name]}\n`);
    expect((await project.run('node', [file])).trim()).toBe(PRINTED[name] ?? 'function');
  });

  it('fits its types, and so do the example and the samples of docs/client.md', async () => {
    writeSamples(join('docs', 'client.md'), project.folder);
    expect(await project.run('tsc', ['-p', '.'])).toBe('');
  });

  it('does not let anybody in by a side door', async () => {
    const inside = "import('semel/dist/lib/engine/persist.js').catch(({ code }) => console.log(code))";
    expect((await project.run('node', ['-e', inside])).trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

describe('the command line', () => {
  it('comes with the package', async () => {
    expect(await project.run('semel', ['--help'])).toContain('Usage: semel <command>');
  });

  it('counts without a checkout, and says what needs one', async () => {
    expect(await project.run('semel', ['capacity', '--per-day', '10e6', '--retention', '7d'])).toContain('70 million');
    await expect(project.run('semel', ['start', '--port', '0'])).rejects.toThrow('startLocalCloud of semel/testing');
  });
});

describe('the command line without the optional @aws-sdk/client-sqs', () => {
  const [installed, away] = ['client-sqs', 'client-sqs-away'].map(
    (name) => () => join(project.folder, 'node_modules', '@aws-sdk', name),
  ) as [() => string, () => string];
  beforeAll(() => renameSync(installed(), away()));
  afterAll(() => renameSync(away(), installed()));

  it('shows its help', async () => {
    expect(await project.run('semel', ['--help'])).toContain('Usage: semel <command>');
    expect(await project.run('semel', ['queues', 'redrive', '--help'])).toContain('Usage: semel queues redrive');
  });

  it('names the package where it is needed', async () => {
    const failed = await project.run('semel', ['queues', 'redrive', 'letters', '--yes']).catch(String);
    expect(failed).toContain('This command needs the package @aws-sdk/client-sqs: npm install @aws-sdk/client-sqs.\n');
    expect(failed).not.toContain('    at ');
  });
});

describe('examples/minimal', () => {
  it('is a page long', () => {
    const lines = readFileSync(join('examples', 'minimal', 'app.ts'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
  });

  it('R17 synthesizes, runs on the local cloud and replays', async () => {
    const example = await startExample(project);
    try {
      const first = await example.createNote('note-1', 'Buy milk');
      const second = await example.createNote('note-1', 'Buy milk');
      const other = await example.createNote('note-1', 'Buy bread');
      expect(first).toMatchObject({ status: 201, replayed: null });
      expect(second).toEqual({ ...first, replayed: 'true' });
      expect(other.status).toBe(422);
    } finally {
      await example.stop();
    }
  });
});
