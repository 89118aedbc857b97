import { SemelError } from './problems.ts';

/**
 * SHA-256 over its parts, one after the other with nothing between; strings count as UTF-8.
 * HMAC-SHA-256 where a secret is configured. Injected, since the protocol runs in browsers too.
 */
export type Hash = (...parts: readonly (string | Uint8Array)[]) => Uint8Array;

/** What a key is unique within: one caller, or one caller's uses of one operation. */
export type Scope = 'caller' | 'caller-and-operation';

const RESERVED = 'semel:';

/** The caller in whose name jobs run: a job's key is a key in this scope. */
export const JOBS = `${RESERVED}jobs`;

/**
 * Is this the name of something that runs by itself? No request may come in such a name, or its keys would meet a job's.
 *
 * @rule R3
 * @example isReserved('semel:jobs') // true
 */
export const isReserved = (caller: string): boolean => caller.startsWith(RESERVED);

interface ScopedUse {
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
}

/**
 * The parts that identify a record. The scope's own name comes first, so that no key of one scope is a key of another.
 *
 * @rule R3
 * @example scopeParts('caller', { caller: 'c_1', operation: 'pay', key: 'k' }) // ['caller', 'c_1', 'k']
 */
export function scopeParts(scope: Scope, { caller, operation, key }: ScopedUse): string[] {
  return scope === 'caller' ? [scope, caller, key] : [scope, caller, operation, key];
}

/**
 * Joins parts so that two different lists never give one text: each part carries its length.
 *
 * @rule R3
 * @throws SemelError `internal-error` for a lone surrogate: UTF-8 has no bytes for it, so two such parts would hash alike
 * @example scopedKey(['caller', 'c_1', 'k']) // '6:caller3:c_11:k'
 */
export function scopedKey(parts: readonly string[]): string {
  return parts.map(withLength).join('');
}

function withLength(part: string): string {
  if (!part.isWellFormed()) throw new SemelError('internal-error', 'A part of a scope holds a lone surrogate.');
  return `${part.length}:${part}`;
}
