import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { findKeyTable } from '../../lib/cli/key-table.ts';
import { announceCloud, findRunningCloud } from '../../lib/cli/running-cloud.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { call } from './call.ts';

const endpoint = inject('dynamodb');
const CLOUD = {
  ...{ pid: process.pid, startedAt: 1_000, url: 'http://localhost:4000', dynamodbEndpoint: endpoint },
  webhookSecrets: { standard: 'whsec_c2VjcmV0', stripe: 'whsec_1', github: 'g' },
};
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('DATA_TABLE_NAME', undefined);
});

describe('semel keys', () => {
  let where: string[];
  beforeEach(async () => {
    where = ['--table', (await freshStore()).dataTable, '--endpoint', endpoint];
  });
  const createdId = (explained: string): string => /key_\S+/.exec(explained)?.[0] ?? '';

  it('create prints the key and nothing else to standard output', async () => {
    const { code, printed, explained } = await call('keys', 'create', '--caller', 'carol', ...where);
    expect(code).toBe(0);
    expect(printed).toMatch(/^sk_live_[\w-]{43}$/);
    expect(explained).toMatch(/^API key key_\S+ of carol, in table data-\S+ at http/);
  });

  it.each(['semel:jobs', 'semel:', 'semel:x'])(
    'R3 create refuses the name %s, which is not a caller’s',
    async (name) => {
      const { code, printed, explained } = await call('keys', 'create', '--caller', name, ...where);
      expect({ code, printed }).toEqual({ code: 2, printed: '' });
      expect(explained).toBe(
        `"${name}" is not a caller's name: names that begin with semel: are kept for what runs by itself.`,
      );
      expect((await call('keys', 'list', ...where)).explained).toMatch(/^0 API keys/);
    },
  );

  it.each(['semel', 'semelweis', 'a.semel:x'])('create takes the name %s', async (name) => {
    expect((await call('keys', 'create', '--caller', name, ...where)).code).toBe(0);
  });

  it('list shows the keys without their secrets', async () => {
    const created = await call('keys', 'create', '--caller', 'carol', ...where);
    const { code, printed, explained } = await call('keys', 'list', ...where);
    expect(code).toBe(0);
    expect(explained).toMatch(/^1 API key in table /);
    const [header, row] = printed.split('\n');
    expect(header).toMatch(/^id +caller +created +revoked$/);
    expect(row).toMatch(/^key_\S+ {2}carol {3}20\d\d-\S+Z {2}-$/);
    expect(printed).not.toContain(created.printed);
  });

  it('list of nothing is no table', async () => {
    const { code, printed, explained } = await call('keys', 'list', ...where);
    expect({ code, printed }).toEqual({ code: 0, printed: '' });
    expect(explained).toMatch(/^0 API keys in table /);
  });

  it('revoke shows in the list, and may be repeated', async () => {
    const id = createdId((await call('keys', 'create', '--caller', 'carol', ...where)).explained);
    const first = await call('keys', 'revoke', id, ...where);
    expect(first).toEqual({ code: 0, printed: '', explained: `API key ${id} of carol is revoked.` });
    const second = await call('keys', 'revoke', id, ...where);
    expect(second.explained).toBe(`API key ${id} of carol was revoked already.`);
    expect((await call('keys', 'list', ...where)).printed).toMatch(/Z {2}20\d\d-\S+Z$/);
  });

  it('revoke of an unknown id says so', async () => {
    const { code, explained } = await call('keys', 'revoke', 'key_nobody', ...where);
    expect(code).toBe(1);
    expect(explained).toMatch(/^There is no API key key_nobody in table \S+ at \S+\. "semel keys list" shows/);
  });

  it('a missing table is said in a sentence', async () => {
    const { code, explained } = await call('keys', 'list', '--table', 'nowhere', '--endpoint', endpoint);
    expect({ code, explained }).toEqual({
      code: 1,
      explained: 'There is no such table there. Check --table and AWS_REGION.',
    });
  });

  it('an endpoint where nothing listens is said in a sentence', async () => {
    const { code, explained } = await call('keys', 'list', '--table', 't', '--endpoint', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(explained).toMatch(/^AWS, or the endpoint instead of it, could not be reached: .*ECONNREFUSED/);
  });
});

describe('findKeyTable', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'semel-cli-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const find = (options: Record<string, string> = {}) => findKeyTable({ options, positionals: [] }, root);
  const deployed = (outputs: Record<string, Record<string, string>>): void => {
    mkdirSync(join(root, '.semel'), { recursive: true });
    writeFileSync(join(root, '.semel', 'outputs.json'), JSON.stringify(outputs));
  };
  const cloud = { ...CLOUD, dataTable: 'local-data' };

  it('takes --table before anything else', () => {
    vi.stubEnv('DATA_TABLE_NAME', 'from-environment');
    announceCloud(root, cloud);
    expect(find({ table: 'named' }).description).toBe('table named at AWS');
  });

  it('takes DATA_TABLE_NAME before a running local cloud', () => {
    vi.stubEnv('DATA_TABLE_NAME', 'from-environment');
    announceCloud(root, cloud);
    expect(find().description).toBe('table from-environment at AWS');
  });

  it('takes a running local cloud before a deployed stack', () => {
    deployed({ Semel: { DataTableName: 'deployed' } });
    announceCloud(root, cloud);
    expect(find().description).toBe(`table local-data at ${endpoint}`);
  });

  it('takes the deployed stack when the local cloud has stopped or crashed', () => {
    deployed({ Semel: { DataTableName: 'deployed' } });
    const withdraw = announceCloud(root, cloud);
    withdraw();
    expect(find().table).toBe('deployed');
    announceCloud(root, { ...cloud, pid: 2 ** 22 + 1 });
    expect(find().table).toBe('deployed');
  });

  it('takes the stack that --stack names, even while a local cloud runs', () => {
    deployed({ Semel: { DataTableName: 'one' }, Other: { DataTableName: 'two' } });
    announceCloud(root, cloud);
    expect(find({ stack: 'Other' }).description).toBe('table two at AWS');
  });

  it('does not choose between stacks', () => {
    deployed({ Semel: { DataTableName: 'one' }, Other: { DataTableName: 'two' } });
    expect(() => find()).toThrow('Several stacks were deployed; choose one with --stack: Semel, Other.');
    expect(() => find({ stack: 'Third' })).toThrow('No stack Third was deployed; there is: Semel, Other.');
  });

  it('says what to do when nothing runs and nothing is deployed', () => {
    expect(() => find()).toThrow(/no local cloud runs .* \(npm start\), and nothing was deployed .* --table/);
  });
});

describe('findRunningCloud', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'semel-cli-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const first = { ...CLOUD, dataTable: 'first' };
  const second = { ...CLOUD, url: 'http://localhost:4102', startedAt: CLOUD.startedAt + 1, dataTable: 'second' };
  const found = () => findRunningCloud(root)?.dataTable;

  it('finds the one that started last, and the other one again when that has stopped', () => {
    const withdrawSecond = announceCloud(root, second);
    const withdrawFirst = announceCloud(root, first);
    expect(found()).toBe('second');
    withdrawSecond();
    expect(found()).toBe('first');
    withdrawFirst();
    expect(found()).toBeUndefined();
  });

  it('passes over one that crashed, whosever its process id is by now', () => {
    announceCloud(root, first);
    announceCloud(root, { ...second, pid: 2 ** 22 + 1 });
    expect(found()).toBe('first');
    announceCloud(root, { ...second, begun: '1' });
    expect(found()).toBe('first');
  });
});
