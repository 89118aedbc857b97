import { toBase64Url } from '../protocol/base64url.ts';
import { scopedKey, scopeParts } from '../protocol/scope.ts';
import { LOCAL_CALLER } from './local-caller.ts';
import type { CloudState } from './local-cloud.ts';

/** Something that the person at the page wants once, however often it is sent. */
export interface Payment {
  readonly number: number;
  /** The card. */
  readonly source: string;
  /** What was sent first, in cents: the key stands for it. */
  readonly amount: number;
  /** The client's name for it; more than one in turn, if the client makes a new key for each attempt. */
  readonly intent: string;
  /** Every key that it was sent with: one, if the client does what it should. */
  readonly keys: readonly string[];
  /** How often it was sent. */
  readonly sends: number;
  /** Sent, and not answered for good. */
  readonly pending: boolean;
  /** Was it sent to the server that ignores keys? Then it must not be sent again by itself. */
  readonly naive: boolean;
}

/** How often the money of a payment moved, and how much of it. */
export interface Moved {
  readonly times: number;
  readonly amount: number;
}

/**
 * How the references begin under which a key's charges are booked at the provider. The operation id holds the key's
 * hash, so the page knows its own among all that is there.
 */
export async function referencePrefixes(key: string): Promise<readonly string[]> {
  const scoped = scopedKey(scopeParts('caller', { caller: LOCAL_CALLER.name, operation: '', key }));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(scoped));
  return [`op_${toBase64Url(new Uint8Array(hash))}.`, `naive-${key}-`];
}

/** What a payment moved in truth: what the provider has on its books. */
export async function movedBy({ keys }: Payment, { providerCharges }: CloudState): Promise<Moved> {
  const prefixes = (await Promise.all(keys.map(referencePrefixes))).flat();
  const charges = providerCharges.filter(
    ({ reference, status }) => status === 'succeeded' && prefixes.some((prefix) => reference.startsWith(prefix)),
  );
  return { times: charges.length, amount: charges.reduce((sum, { amount }) => sum + amount, 0) };
}
