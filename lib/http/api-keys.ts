import { createHash, randomBytes } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, paginateQuery, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { Item } from '../protocol/plan.ts';
import { isReserved } from '../protocol/scope.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';

/** What is known about an API key; the key itself is shown once, at its creation, and stored only as a hash. */
export interface ApiKey {
  readonly keyId: string;
  /** Whose requests it authenticates: the scope of their idempotency keys (R3). */
  readonly caller: string;
  readonly createdAt: Milliseconds;
  readonly revokedAt?: Milliseconds;
}

/** The table that holds the keys, and the client that reaches it. */
export interface ApiKeyTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}

/** All keys share a partition, so that they can be listed; a request's lookup never goes there. */
const LISTING = 'api-keys';
const KEY_PREFIX = 'sk_live_';
/** 256 bits: a plain hash is enough for what cannot be guessed. */
const KEY_BYTES = 32;

/** SHA-256 of the whole key, prefix included, in hex. @example hashApiKey('sk_local_alice') */
export const hashApiKey = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

/** Where the item is that a request's key leads to. */
export const apiKeyAddress = (keyHash: string): Item => ({ pk: `api-key#${keyHash}`, sk: 'api-key' });

const listingAddress = (keyId: string): Item => ({ pk: LISTING, sk: keyId });

/** The two items of a key: the one a request's lookup finds by the key's hash, and its row in the list of keys. */
export function apiKeyItems(apiKey: {
  readonly key: string;
  readonly keyId: string;
  readonly caller: string;
  readonly now: Milliseconds;
}): readonly [lookup: Item, listing: Item] {
  const keyHash = hashApiKey(apiKey.key);
  const { keyId, caller, now: createdAt } = apiKey;
  return [
    { ...apiKeyAddress(keyHash), keyId, caller, createdAt },
    { ...listingAddress(keyId), keyHash, caller, createdAt },
  ];
}

/** Why no API key is made for a name. */
export const reservedName = (caller: string): string =>
  `"${caller}" is not a caller's name: names that begin with semel: are kept for what runs by itself.`;

/**
 * Makes a new key for a caller and stores its hash. The answer is the only place where the key itself is seen.
 *
 * @throws RangeError for a name that begins with `semel:`: jobs run under it
 */
export async function createApiKey(
  { client, table }: ApiKeyTable,
  request: { readonly caller: string; readonly now: Milliseconds },
): Promise<ApiKey & { readonly key: string }> {
  const { caller, now } = request;
  if (isReserved(caller)) throw new RangeError(reservedName(caller));
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  const keyId = `key_${uuidv7()}`;
  const puts = apiKeyItems({ key, keyId, caller, now }).map((item) => ({
    Put: { TableName: table, Item: { ...item }, ConditionExpression: 'attribute_not_exists(pk)' },
  }));
  await client.send(new TransactWriteCommand({ TransactItems: puts }));
  return { key, keyId, caller, createdAt: now };
}

/** All keys, oldest first, revoked ones too. */
export async function listApiKeys({ client, table }: ApiKeyTable): Promise<readonly ApiKey[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      KeyConditionExpression: 'pk = :listing',
      ExpressionAttributeValues: { ':listing': LISTING },
      ConsistentRead: true,
    },
  );
  const keys: ApiKey[] = [];
  for await (const page of pages) keys.push(...(page.Items ?? []).map(readListing));
  return keys;
}

/**
 * Makes a key useless from its next request on, replays included (R4). A second time changes nothing.
 * @returns the revoked key, or undefined when there is none with this id
 */
export async function revokeApiKey(
  { client, table }: ApiKeyTable,
  request: { readonly keyId: string; readonly now: Milliseconds },
): Promise<ApiKey | undefined> {
  const listing = listingAddress(request.keyId);
  const { Item: found } = await client.send(new GetCommand({ TableName: table, Key: listing, ConsistentRead: true }));
  if (found === undefined) return undefined;
  const revoke = (Key: Item) => ({
    Update: {
      TableName: table,
      Key: { ...Key },
      UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :now)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':now': request.now },
    },
  });
  const both = [revoke(apiKeyAddress(found.keyHash)), revoke(listing)];
  await client.send(new TransactWriteCommand({ TransactItems: both }));
  return readListing({ revokedAt: request.now, ...found });
}

function readListing(item: Item): ApiKey {
  const base = { keyId: String(item.sk), caller: String(item.caller), createdAt: milliseconds(Number(item.createdAt)) };
  return item.revokedAt === undefined ? base : { ...base, revokedAt: milliseconds(Number(item.revokedAt)) };
}
