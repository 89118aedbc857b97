import type { Milliseconds } from '../protocol/time.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Reads the secrets that are valid now; more than one while a rotation goes on. */
export type ReadSecrets = () => Promise<readonly string[]>;

/** A source's HMAC keys, as they are now. */
export interface KeyRing {
  current(): Promise<readonly Uint8Array[]>;
  /** The keys read anew, or undefined when they were read a moment ago or never change. */
  renewed(): Promise<readonly Uint8Array[] | undefined>;
}

/** A new secret is in use within this time, in milliseconds, even if the old one still signs. */
const KEPT_FOR = 300_000;
/** A delivery that no known key signed asks for new ones, so that a rotation is seen at once; but not more often. */
const RENEWED_AFTER = 10_000;

/**
 * The keys of secrets that never change while the function runs.
 *
 * @rule R31
 * @throws RangeError when there is no secret, or one that is empty or malformed: nothing would be signed then
 * @example fixedKeys(github, ['s3cret'])
 */
export function fixedKeys(source: WebhookSource, secrets: readonly string[]): KeyRing {
  const keys = keysOf(source, secrets);
  return { current: async () => keys, renewed: async () => undefined };
}

/**
 * The keys of secrets that are kept elsewhere: read once, then again from time to time, and when a signature matches none.
 * While they cannot be read, the last ones stay in use.
 */
export function rotatingKeys(source: WebhookSource, read: ReadSecrets, now: () => Milliseconds): KeyRing {
  let known: readonly Uint8Array[] | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  const readAnew = async () => {
    triedAt = now();
    known = keysOf(source, await read());
    return known;
  };
  return {
    async current() {
      if (known === undefined) return readAnew();
      if (now() - triedAt < KEPT_FOR) return known;
      const last = known;
      return readAnew().catch(() => last);
    },
    renewed: async () => (now() - triedAt < RENEWED_AFTER ? undefined : readAnew().catch(() => undefined)),
  };
}

/** One secret a line, so that a file and a secret store can hold several. @example splitSecrets('new\nold') // ['new', 'old'] */
export const splitSecrets = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line, _index, lines) => line !== '' || lines.length === 1);

function keysOf(source: WebhookSource, secrets: readonly string[]): readonly Uint8Array[] {
  if (secrets.length === 0) throw new RangeError(`The webhook source ${source.name} has no secret.`);
  return secrets.map((secret, index) => keyOf(source, secret.trim(), index + 1));
}

/** Says which secret is wrong, never what it is. */
function keyOf(source: WebhookSource, secret: string, position: number): Uint8Array {
  const which = `Secret ${position} of the webhook source ${source.name}`;
  if (secret === '') throw new RangeError(`${which} is empty: anyone could sign with it.`);
  const key = decode(source, secret, which);
  if (key.byteLength === 0) throw new RangeError(`${which} holds an empty key: anyone could sign with it.`);
  return key;
}

function decode(source: WebhookSource, secret: string, which: string): Uint8Array {
  try {
    return source.key(secret);
  } catch (cause) {
    throw new RangeError(`${which} is malformed: ${cause instanceof Error ? cause.message : 'see its format'}.`);
  }
}
