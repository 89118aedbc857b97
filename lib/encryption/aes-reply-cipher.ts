import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';
import type { ReplyCipher } from '../protocol/reply-cipher.ts';
import { keyringCipher } from './keyring-cipher.ts';

const KEY_BYTES = 32;

/**
 * Encrypts replies under a key in memory, in the same format as under a key of KMS: for tests and for one's own machine.
 *
 * @throws RangeError when the key has not 32 bytes
 * @example aesReplyCipher(randomBytes(32))
 */
export function aesReplyCipher(key: Uint8Array): ReplyCipher {
  if (key.byteLength !== KEY_BYTES) throw new RangeError(`A reply key has ${KEY_BYTES} bytes, not ${key.byteLength}.`);
  return keyringCipher(
    new RawAesKeyringNode({
      keyNamespace: 'semel',
      keyName: 'replies',
      // The library demands bytes that share their memory with nobody.
      unencryptedMasterKey: new Uint8Array(key),
      wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
    }),
  );
}
