import { createHash, createHmac } from 'node:crypto';
import { type Counter, EVERY_OPERATION, type Gauge } from '../protocol/counters.ts';
import type { ReplyCipher } from '../protocol/reply-cipher.ts';
import type { Hash } from '../protocol/scope.ts';
import type { Store } from '../store/store.ts';
import { type Surroundings, SYSTEM } from './surroundings.ts';

/** Everything an operation runs on. */
export interface Engine {
  readonly store: Store;
  readonly surroundings: Surroundings;
  /** Hashes scope and key into the record's `pk` (R3). */
  readonly hashKey: Hash;
  /** Hashes the request into its fingerprint (R5). */
  readonly hashRequest: Hash;
  /** Encrypts the bodies of replies that are stored encrypted, and decrypts those that are. */
  readonly replyCipher: ReplyCipher | undefined;
  /** Told of each thing worth counting (R38). */
  readonly count: (counter: Counter, operation: string) => void;
  /** Told of what the reconciler measures; ages are in seconds. */
  readonly measure: (gauge: Gauge, operation: string, value: number) => void;
}

interface EngineOptions {
  readonly store: Store;
  /** Keys are HMACs under this secret instead of plain digests, so that a table's reader cannot test guesses (R3). */
  readonly keySecret?: string;
  /** For operations whose `storedBody` is `encrypted`, and for whoever finishes or shows them. */
  readonly replyCipher?: ReplyCipher | undefined;
  readonly surroundings?: Surroundings;
  readonly count?: Engine['count'];
  readonly measure?: Engine['measure'];
}

/**
 * Puts an engine together.
 *
 * @default SHA-256 for keys, no cipher, the system's clock and randomness, nothing counted or measured
 * @throws RangeError when the key secret is empty
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, keySecret, replyCipher, surroundings = SYSTEM, count = () => {}, measure = () => {} } = options;
  if (keySecret === '') throw new RangeError('keySecret is empty: leave it out for plain SHA-256, or set a secret.');
  return {
    ...{ store, replyCipher, count, measure },
    surroundings: { ...surroundings, retried: (reason) => count(`retried-${reason}`, EVERY_OPERATION) },
    hashKey: keySecret === undefined ? sha256 : hmac(keySecret),
    hashRequest: sha256,
  };
}

const sha256: Hash = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

const hmac =
  (secret: string): Hash =>
  (...parts) =>
    parts.reduce((hash, part) => hash.update(part), createHmac('sha256', secret)).digest();
