import { SemelError } from '../../lib/protocol/problems.ts';

/** Runs something that must be refused and returns the refusal. */
export function problemOf(run: () => unknown): SemelError {
  try {
    run();
  } catch (error) {
    if (error instanceof SemelError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}
