import { apiKeyItems } from '../http/api-keys.ts';
import { milliseconds } from '../protocol/time.ts';

/**
 * What a local cloud's data table must hold for a caller to be let in with a key that everybody knows.
 *
 * @example await startLocalCloud({ assembly: 'cdk.out', seed: apiKeySeed('alice', 'sk_local_alice') });
 */
export const apiKeySeed = (caller: string, key: string) =>
  apiKeyItems({ key, keyId: `key_local_${caller}`, caller, now: milliseconds(0) }).map((item) => ({
    table: 'data' as const,
    Item: { ...item },
  }));
