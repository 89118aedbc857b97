import { apiKeyItems } from '../http/api-keys.ts';
import type { Item } from '../protocol/plan.ts';
import { milliseconds } from '../protocol/time.ts';
import { seedItems } from '../wallet/seed.ts';

/** The callers that a local cloud starts with; each has an account `acct_<caller>`. */
export const LOCAL_CALLERS = ['alice', 'bob'] as const;

/** A local caller's API key. Known to everybody, so it exists in local clouds only. */
export const localApiKey = (caller: string): string => `sk_local_${caller}`;

/** Fixed, so that two starts seed the same. */
const SEEDED_AT = milliseconds(Date.UTC(2024, 5, 9));

/** What a local cloud's tables hold at its start: the wallet's accounts, and an API key for each of their owners. */
export function localSeed(): readonly { readonly table: 'data'; readonly Item: Item }[] {
  const keys = LOCAL_CALLERS.flatMap((caller) =>
    apiKeyItems({ key: localApiKey(caller), keyId: `key_local_${caller}`, caller, now: SEEDED_AT }),
  );
  return [...seedItems(), ...keys].map((Item) => ({ table: 'data', Item }));
}
