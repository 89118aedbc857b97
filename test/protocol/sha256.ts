import { createHash } from 'node:crypto';
import type { Hash } from '../../lib/protocol/scope.ts';

/** The hash that the functions inject, for tests. */
export const sha256: Hash = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
