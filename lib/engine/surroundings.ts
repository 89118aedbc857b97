import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import type { Setback } from '../store/setback.ts';

/** What the engine cannot compute: time and chance. Injected, so that a test can decide both. */
export interface Surroundings {
  now(): Milliseconds;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
  /** An owner token: 128 random bits. */
  token(): string;
  /** The 16 bytes of a UUIDv7. */
  uuid(): Uint8Array;
  sleep(duration: Milliseconds): Promise<void>;
  /** Told of each try of a store call that did not go through, and why. @default nobody is */
  retried?(reason: Setback['reason']): void;
  /** A signal that aborts after the duration. */
  abortAfter(duration: Milliseconds): AbortSignal;
}

export const SYSTEM: Surroundings = {
  now: () => milliseconds(Date.now()),
  random: Math.random,
  token: () => randomBytes(16).toString('base64url'),
  uuid: () => v7(undefined, new Uint8Array(16)),
  sleep: async (duration) => {
    await pause(duration);
  },
  abortAfter: (duration) => AbortSignal.timeout(Math.max(0, duration)),
};
