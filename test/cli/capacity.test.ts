import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { summarize } from '../../lib/cli/measure-table.ts';
import { COUNT, DURATION, readQuantity, SHARE, SIZE } from '../../lib/cli/quantity.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { newPurse } from '../setup/purse.ts';
import { call } from './call.ts';

const PUBLISHED = '--per-day 10e6 --retention 7d --record 1.5KB --overhead 2.5 --peak 8 --margin 2'.split(' ');

describe('semel capacity', () => {
  it('multiplies a load out', async () => {
    const { code, printed } = await call('capacity', ...PUBLISHED);
    expect(code).toBe(0);
    expect(printed).toContain('Live keys   70 million\n');
    expect(printed).toContain('105 GB raw, 263 GB with everything around it (× 2.5)');
    expect(printed).toContain('116 per second on average, 930 at the peak (× 8), 1,860 to plan for (× 2)');
    expect(printed).toContain('7,440 write units per second, 27 partitions');
    expect(printed).toMatch(/^ {2}atomic +1 +10 +1 +\$1,939 +\$9,002$/m);
    expect(printed).toMatch(/^ {2}leased +2 +13 +1 +\$2,509 +\$11,650$/m);
    expect(printed).toMatch(/^ {4}500 {2}effects on one item/m);
  });

  it('needs no option, and no warmth for a small load', async () => {
    const { code, printed } = await call('capacity');
    expect(code).toBe(0);
    expect(printed).toContain('Live keys   1 million\n');
    expect(printed).not.toContain('warm throughput');
  });

  it.each([
    ['--record', '1.5 cups', '--record is "1.5 cups"; it is written like 1.5KB.'],
    ['--retention', '7', '--retention is "7"; it is written like 7d or 24h.'],
    ['--retries', '5', '--retries is "5"; a share above 1 is written with %, like 5%.'],
    ['--per-day', '0', '--per-day is "0"; it must be more than 0.'],
    ['--peak', 'Infinity', '--peak is "Infinity"; it is written like 8.'],
  ])('does not take %s %s', async (option, value, explained) => {
    expect(await call('capacity', option, value)).toEqual({ code: 2, printed: '', explained });
  });

  it('takes more retries than requests, when that is meant', async () => {
    expect((await call('capacity', '--retries', '500%')).printed).toContain('silent (500%)');
    expect((await call('capacity', '--retries', '1')).printed).toContain('silent (100%)');
  });

  it('takes no effects and no retries', async () => {
    const { printed } = await call('capacity', '--effects', '0', '--retries', '0%');
    expect(printed).toMatch(/^ {2}atomic +1 +2 +1 /m);
    expect(printed).toMatch(/silent \(0%\) .*\$0\.00/);
  });
});

describe('semel capacity --measure', () => {
  const endpoint = inject('dynamodb');
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  });

  it('takes sizes, retention and mix from a running table', async () => {
    const store = await freshStore();
    const purse = await newPurse(store);
    for (let n = 0; n < 3; n += 1) await purse.pay({ body: { amount: 1 } });
    const marker = { pk: 'msg#deposits#x', schemaVersion: 1, fingerprint: 'f' };
    await store.client.send(new PutCommand({ TableName: store.table, Item: marker }));
    const { code, printed } = await call('capacity', '--measure', '--table', store.table, '--endpoint', endpoint);
    expect(code).toBe(0);
    expect(printed).toContain('Measured: 4 items, 4 of them looked at');
    expect(printed).toMatch(/^ +75% {2}record +\d{3} bytes each$/m);
    expect(printed).toMatch(/^ +25% {2}message +\d\d bytes each$/m);
    expect(printed).toContain('100%  of the records: pay');
    expect(printed).toContain('Records are kept for 1.0 days.');
    expect(printed).toContain('Live keys   3\n');
  });

  it('goes by options where they are given', async () => {
    const { table } = await freshStore();
    const { printed } = await call('capacity', '--measure', '--table', table, '--endpoint', endpoint, ...PUBLISHED);
    expect(printed).toContain('Live keys   70 million\n');
  });

  it('tells every kind of item apart', () => {
    const items = ['key#a', 'msg#c#b', 'inbox#c#s', 'outbox#e', 'else'].map((pk) => ({ pk }));
    expect(Object.keys(summarize(items).kinds)).toEqual(['record', 'message', 'inbox', 'outbox', 'other']);
  });
});

describe('a quantity', () => {
  it.each([
    ['10e6', COUNT, 10_000_000],
    ['2.5', COUNT, 2.5],
    ['10M', COUNT, 10_000_000],
    ['7d', DURATION, 7],
    ['36h', DURATION, 1.5],
    ['1.5KB', SIZE, 1_500],
    ['1500', SIZE, 1_500],
    ['5%', SHARE, 0.05],
  ])('%s is read as people mean it', (text, units, value) => {
    expect(readQuantity('--x', text, units, '…')).toBeCloseTo(value);
  });

  it.each(['', '-1', '1e999', '0x10', '1,5'])('%s is none', (text) => {
    expect(() => readQuantity('--x', text, COUNT, '8')).toThrow('it is written like 8');
  });
});
