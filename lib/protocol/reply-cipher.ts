/** What a ciphertext is bound to: under any other context it cannot be decrypted. Not secret; key stores log it. */
export type CipherContext = Readonly<Record<string, string>>;

/** Encrypts one body; nothing that it needs is out of reach any more. */
export type EncryptBody = (plaintext: Uint8Array) => Promise<Uint8Array>;

/** Encrypts the bodies of replies before they are stored, and decrypts them for replays. */
export interface ReplyCipher {
  /** Obtains all that encrypting takes, such as a data key: whatever may fail for the moment fails here. */
  prepare(context: CipherContext): Promise<EncryptBody>;
  /** @throws when the ciphertext was made under another key or context, or was changed, or the key is out of reach */
  decrypt(ciphertext: Uint8Array, context: CipherContext): Promise<Uint8Array>;
}
