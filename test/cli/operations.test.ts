import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { toBase64Url } from '../../lib/protocol/base64url.ts';
import { formatOperationId } from '../../lib/protocol/operation-id.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { call } from './call.ts';

const endpoint = inject('dynamodb');
let where: string[];
let put: (item: object) => Promise<unknown>;
beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  const { client, table } = await freshStore();
  where = ['--table', table, '--endpoint', endpoint];
  put = (item) => client.send(new PutCommand({ TableName: table, Item: { ...item } }));
});

const KEY_HASH = toBase64Url(new Uint8Array(32).fill(7));
const ID = formatOperationId(new Uint8Array(32).fill(7), toBase64Url(new Uint8Array(16)));
const FIRST_SEEN = Date.UTC(2026, 10, 30, 12);
const record = {
  ...{ pk: `key#${KEY_HASH}`, schemaVersion: 1, operation: 'create-charge', caller: 'alice', operationId: ID },
  ...{ fingerprint: 'f', fingerprintVersion: 1, ownerToken: 'o', attempt: 3, firstSeenAt: FIRST_SEEN },
};
const unfinished = {
  ...record,
  leaseUntil: FIRST_SEEN,
  intent: '{"amount":5}',
  unknowns: 10,
  pendingShard: 'pending-0',
};
const waiting = { ...unfinished, status: 'needs_attention', reason: 'outcome-unknown', pendingShard: 'attention' };

describe('semel operations list', () => {
  it('shows what is not over', async () => {
    await put(waiting);
    const { code, printed, explained } = await call('operations', 'list', '--unfinished', ...where);
    expect(code).toBe(0);
    expect(explained).toMatch(/^1 unfinished operation in table /);
    const [head, row] = printed.split('\n');
    expect(head).toMatch(/^id +operation +caller +status +attempts +first seen +lease +reason$/);
    expect(row).toBe(
      `${ID}  create-charge  alice   needs_attention  3         2026-11-30T12:00:00.000Z  -      outcome-unknown`,
    );
  });

  it('tells how long ago a lease lapsed, or how long it still runs', async () => {
    await put({ ...unfinished, status: 'in_progress' });
    expect((await call('operations', 'list', '--unfinished', ...where)).printed).toMatch(/ lapsed \d+ s ago {2}-$/);
    await put({ ...unfinished, status: 'in_progress', leaseUntil: Date.now() + 60_000 });
    expect((await call('operations', 'list', '--unfinished', ...where)).printed).toMatch(/ (5\d|60) s left {2}-$/);
  });

  it('shows the others beside one that a newer version wrote, and says so', async () => {
    await put({ ...waiting, pk: 'key#newer', schemaVersion: 99 });
    await put(waiting);
    const { code, printed, explained } = await call('operations', 'list', '--unfinished', ...where);
    expect([code, printed.split('\n').length]).toEqual([0, 2]);
    expect(explained).toMatch(/Not shown: Item key#newer has schemaVersion 99/);
  });

  it('lists nothing else', async () => {
    const { code, explained } = await call('operations', 'list', ...where);
    expect({ code, explained }).toEqual({
      code: 2,
      explained: 'Only operations that are not over are listed. Add --unfinished.',
    });
    expect((await call('operations', 'list', '--unfinished', ...where)).printed).toBe('');
  });
});

describe('semel operations show', () => {
  it.each([ID, KEY_HASH, `op_${KEY_HASH}`])('prints what %s refers to', async (reference) => {
    await put({
      ...record,
      status: 'completed',
      completedAt: FIRST_SEEN,
      expiresAt: FIRST_SEEN / 1000,
      reply: { status: 201, headers: {}, body: '{}' },
    });
    const { code, printed } = await call('operations', 'show', reference, ...where);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({
      ...{ operationId: ID, status: 'completed', firstSeenAt: '2026-11-30T12:00:00.000Z' },
      ...{
        completedAt: '2026-11-30T12:00:00.000Z',
        expiresAt: '2026-11-30T12:00:00.000Z',
        reply: { status: 201, body: '{}' },
      },
    });
  });

  it('R17 says of an encrypted reply how long it is', async () => {
    const encryptedReply = { status: 201, headers: {}, bodyIs: 'text', ciphertext: new Uint8Array(300) };
    await put({ ...record, status: 'completed', completedAt: FIRST_SEEN, expiresAt: 1, encryptedReply });
    expect(JSON.parse((await call('operations', 'show', ID, ...where)).printed)).toMatchObject({
      encryptedReply: { status: 201, headers: {}, bodyIs: 'text', ciphertext: '300 bytes' },
    });
  });

  it('prints an intent as what it says', async () => {
    await put(waiting);
    expect(JSON.parse((await call('operations', 'show', ID, ...where)).printed)).toMatchObject({
      intent: { amount: 5 },
    });
  });

  it('says what it does not know, and what is no reference at all', async () => {
    const absent = await call('operations', 'show', ID, ...where);
    expect(absent.code).toBe(1);
    expect(absent.explained).toMatch(`There is no operation ${ID} in table `);
    const nonsense = await call('operations', 'show', 'op_x', ...where);
    expect({ code: nonsense.code, explained: nonsense.explained }).toEqual({
      code: 2,
      explained: '"op_x" is neither an operation id (op_….…) nor the hash of a key (43 characters).',
    });
  });
});

describe('semel operations resolve', () => {
  it('says what it will do and hands the operation back', async () => {
    await put(waiting);
    const asked = await call('operations', 'resolve', ID, ...where);
    expect(asked.code).toBe(1);
    expect(asked.explained).toContain('has needed attention since attempt 3: outcome-unknown.');
    expect(asked.explained).toContain('Add --yes');
    const { code, explained } = await call('operations', 'resolve', ID, '--yes', ...where);
    expect(code).toBe(0);
    expect(explained).toMatch(/It goes on: .*$/);
    expect(JSON.parse((await call('operations', 'show', ID, ...where)).printed)).toMatchObject({
      ...{ status: 'in_progress', unknowns: 0, pendingShard: expect.stringMatching(/^pending-\d$/) },
    });
    const again = await call('operations', 'resolve', ID, '--yes', ...where);
    expect(again).toEqual({
      code: 1,
      printed: '',
      explained: `Operation ${ID} does not wait for anybody: it is in progress.`,
    });
  });

  it('does nothing to one that is not there', async () => {
    expect((await call('operations', 'resolve', ID, '--yes', ...where)).explained).toMatch('There is no operation');
  });
});
