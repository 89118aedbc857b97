import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt } from '@aws-crypto/encrypt-node';
import {
  AlgorithmSuiteIdentifier,
  CommitmentPolicy,
  type KeyringNode,
  NodeAlgorithmSuite,
  NodeDefaultCryptographicMaterialsManager,
} from '@aws-crypto/material-management-node';
import type { CipherContext, ReplyCipher } from '../protocol/reply-cipher.ts';

const commitmentPolicy = CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT;
/** Authenticated and committed to its key, but not signed: whoever may encrypt a reply here may decrypt it, too. */
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

const { encrypt } = buildEncrypt({ commitmentPolicy, maxEncryptedDataKeys: 1 });
const { decrypt } = buildDecrypt({ commitmentPolicy, maxEncryptedDataKeys: 1 });

/**
 * A cipher on a keyring of the AWS Encryption SDK: a data key of its own for each reply, wrapped by the keyring's key.
 * Data keys are not cached, since one is bound to its context and each operation has another context.
 *
 * @see https://docs.aws.amazon.com/encryption-sdk/latest/developer-guide/concepts.html
 */
export function keyringCipher(keyring: KeyringNode): ReplyCipher {
  const manager = new NodeDefaultCryptographicMaterialsManager(keyring);
  return {
    prepare: async (encryptionContext) => {
      const suite = new NodeAlgorithmSuite(SUITE);
      const materials = await manager.getEncryptionMaterials({ suite, encryptionContext, commitmentPolicy });
      const prepared = {
        getEncryptionMaterials: async () => materials,
        decryptMaterials: () => Promise.reject(new Error('These materials encrypt.')),
      };
      // Copied, since the library answers with a Buffer, which does not compare with what DynamoDB gives back.
      return async (plaintext) => new Uint8Array((await encrypt(prepared, plaintext, { encryptionContext })).result);
    },
    decrypt: async (ciphertext, context) => {
      const { plaintext, messageHeader } = await decrypt(manager, ciphertext);
      assertContext(messageHeader.encryptionContext, context);
      return new Uint8Array(plaintext);
    },
  };
}

/** The library proves the context that a ciphertext carries; that it is the wanted one is for its caller to see. */
function assertContext(carried: CipherContext, wanted: CipherContext): void {
  const strange = Object.keys(wanted).find((name) => carried[name] !== wanted[name]);
  if (strange !== undefined) throw new Error(`The reply was encrypted for another ${strange}: it was moved here.`);
}
