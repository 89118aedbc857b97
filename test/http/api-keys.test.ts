import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ApiKeyTable,
  apiKeyAddress,
  apiKeyItems,
  createApiKey,
  hashApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../lib/http/api-keys.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { freshStore } from '../setup/fresh-store.ts';

const now = milliseconds(1_800_000_000_000);
const later = milliseconds(now + 60_000);
let keys: ApiKeyTable;

beforeEach(async () => {
  const { client, dataTable } = await freshStore();
  keys = { client, table: dataTable };
});

const lookUp = async (key: string) => {
  const get = new GetCommand({ TableName: keys.table, Key: { ...apiKeyAddress(hashApiKey(key)) } });
  return (await keys.client.send(get)).Item;
};

describe('hashApiKey', () => {
  it('is SHA-256 of the whole key in hex', () => {
    expect(hashApiKey('sk_local_alice')).toBe('17e485fb16b26638abe7939eb5a5f50e0309639a57548c8d74046554da26b256');
  });
});

describe('apiKeyItems', () => {
  it('are one item to look up by and one to list', () => {
    const keyHash = hashApiKey('sk_x');
    expect(apiKeyItems({ key: 'sk_x', keyId: 'key_1', caller: 'alice', now })).toEqual([
      { pk: `api-key#${keyHash}`, sk: 'api-key', keyId: 'key_1', caller: 'alice', createdAt: now },
      { pk: 'api-keys', sk: 'key_1', keyHash, caller: 'alice', createdAt: now },
    ]);
  });
});

describe('createApiKey', () => {
  it('R3 makes none for a name under which jobs run', async () => {
    await expect(createApiKey(keys, { caller: 'semel:jobs', now })).rejects.toThrow(
      'names that begin with semel: are kept',
    );
    expect(await listApiKeys(keys)).toEqual([]);
  });

  it('answers a key of 256 random bits that a lookup finds', async () => {
    const created = await createApiKey(keys, { caller: 'alice', now });
    expect(created.key).toMatch(/^sk_live_[A-Za-z0-9_-]{43}$/);
    expect(await lookUp(created.key)).toMatchObject({ caller: 'alice', keyId: created.keyId, createdAt: now });
  });

  it('R3 stores the key nowhere', async () => {
    const { key } = await createApiKey(keys, { caller: 'alice', now });
    const { Items } = await keys.client.send(new ScanCommand({ TableName: keys.table }));
    expect(Items).toHaveLength(2);
    expect(JSON.stringify(Items)).not.toContain(key.slice('sk_live_'.length));
  });

  it('makes another key each time', async () => {
    const first = await createApiKey(keys, { caller: 'alice', now });
    const second = await createApiKey(keys, { caller: 'alice', now });
    expect(second.key).not.toBe(first.key);
    expect(second.keyId).not.toBe(first.keyId);
  });
});

describe('listApiKeys', () => {
  it('lists the keys of all callers, oldest first, without their hashes', async () => {
    const alice = await createApiKey(keys, { caller: 'alice', now });
    const bob = await createApiKey(keys, { caller: 'bob', now: later });
    expect(await listApiKeys(keys)).toEqual([
      { keyId: alice.keyId, caller: 'alice', createdAt: now },
      { keyId: bob.keyId, caller: 'bob', createdAt: later },
    ]);
  });
});

describe('revokeApiKey', () => {
  it('R4 marks what a request looks up, and the list', async () => {
    const { key, keyId } = await createApiKey(keys, { caller: 'alice', now });
    const revoked = { keyId, caller: 'alice', createdAt: now, revokedAt: later };
    expect(await revokeApiKey(keys, { keyId, now: later })).toEqual(revoked);
    expect(await lookUp(key)).toMatchObject({ revokedAt: later });
    expect(await listApiKeys(keys)).toEqual([revoked]);
  });

  it('leaves the other keys of the caller alone', async () => {
    const other = await createApiKey(keys, { caller: 'alice', now });
    const { keyId } = await createApiKey(keys, { caller: 'alice', now });
    await revokeApiKey(keys, { keyId, now: later });
    expect(await lookUp(other.key)).not.toHaveProperty('revokedAt');
  });

  it('keeps the first time when it is done twice', async () => {
    const { key, keyId } = await createApiKey(keys, { caller: 'alice', now });
    await revokeApiKey(keys, { keyId, now });
    expect(await revokeApiKey(keys, { keyId, now: later })).toMatchObject({ revokedAt: now });
    expect(await lookUp(key)).toMatchObject({ revokedAt: now });
  });

  it('answers undefined to an unknown id and writes nothing', async () => {
    expect(await revokeApiKey(keys, { keyId: 'key_nobody', now })).toBeUndefined();
    expect((await keys.client.send(new ScanCommand({ TableName: keys.table }))).Count).toBe(0);
  });
});
