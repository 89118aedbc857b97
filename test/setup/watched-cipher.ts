import { randomBytes } from 'node:crypto';
import { aesReplyCipher } from '../../lib/encryption/aes-reply-cipher.ts';
import type { ReplyCipher } from '../../lib/protocol/reply-cipher.ts';

/** A real cipher whose key store can be taken away, and that remembers what it was asked. */
export class WatchedCipher implements ReplyCipher {
  readonly asked: string[] = [];
  /** Is the key store out of reach? What was prepared before goes on. */
  down = false;
  /** Does encrypting itself fail, once everything was obtained? */
  broken = false;
  readonly #cipher = aesReplyCipher(randomBytes(32));

  async prepare(context: Readonly<Record<string, string>>) {
    this.#ask('prepare');
    const encrypt = await this.#cipher.prepare(context);
    return (plaintext: Uint8Array) => (this.broken ? Promise.reject(new Error('Out of memory.')) : encrypt(plaintext));
  }

  async decrypt(ciphertext: Uint8Array, context: Readonly<Record<string, string>>) {
    this.#ask('decrypt');
    return this.#cipher.decrypt(ciphertext, context);
  }

  #ask(what: string): void {
    this.asked.push(what);
    if (this.down) throw new Error('The key store is down.');
  }
}
