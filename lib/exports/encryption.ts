/** The package's entry `semel/encryption`: ciphers for replies that are stored encrypted. */
export { aesReplyCipher } from '../encryption/aes-reply-cipher.ts';
export { environmentReplyCipher } from '../encryption/environment-reply-cipher.ts';
export { kmsReplyCipher } from '../encryption/kms-reply-cipher.ts';
