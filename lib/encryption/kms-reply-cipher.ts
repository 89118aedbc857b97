import { KMS, KmsKeyringNode, type KmsNodeClientSupplier } from '@aws-crypto/kms-keyring-node';
import type { ReplyCipher } from '../protocol/reply-cipher.ts';
import { keyringCipher } from './keyring-cipher.ts';

/** Longer than KMS needs; twice this still leaves time for the operation, or for a 503 within three seconds. */
const REQUEST_TIMEOUT_MS = 1_200;
const CONNECTION_TIMEOUT_MS = 500;
const MAX_ATTEMPTS = 2;

/**
 * Encrypts replies under a key of KMS: one GenerateDataKey for each operation, one Decrypt for each replay.
 *
 * @param keyArn the key's ARN, not an alias: only what this very key has wrapped is decrypted
 * @throws Error when the ARN is malformed
 * @example kmsReplyCipher('arn:aws:kms:eu-central-1:111122223333:key/1234abcd-…')
 */
export function kmsReplyCipher(keyArn: string): ReplyCipher {
  let client: KMS | undefined;
  const clientProvider = (region: string) => {
    client ??= kmsClient(region);
    return client;
  };
  return keyringCipher(
    // The library's own type of the client says nothing of members that are undefined instead of missing.
    new KmsKeyringNode({ generatorKeyId: keyArn, clientProvider: clientProvider as KmsNodeClientSupplier }),
  );
}

const kmsClient = (region: string): KMS =>
  new KMS({
    region,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
