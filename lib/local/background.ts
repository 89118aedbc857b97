import type { BackgroundFaults } from './background-faults.ts';
import type { Outcome } from './invocation.ts';
import { SetupError } from './setup-error.ts';
import type { WorkerPool } from './worker-pool.ts';

/** How an invocation that no client waits for ended. */
interface BackgroundRun {
  readonly outcome: Outcome;
  /** The queue is not to learn that the batch was handled. */
  readonly losesAcknowledgement: boolean;
}

/** Invokes a function with an event, as JSON, and the misfortunes that wait for it. */
export type Invoke = (functionArn: string, event: string) => Promise<BackgroundRun>;

/** Runs functions for schedules, queues and streams; what they end with is in their logs too. */
export const background =
  (pools: ReadonlyMap<string, WorkerPool>, faults: BackgroundFaults, stackName: string): Invoke =>
  async (functionArn, event) => {
    const { faults: struck, losesAcknowledgement } = faults.strike(logicalIdOf(functionArn, stackName));
    const { outcome } = poolOf(pools, functionArn).invoke(event, { faults: struck });
    return { outcome: await outcome, losesAcknowledgement };
  };

/** A function is named after its stack and its place there. */
const logicalIdOf = (functionArn: string, stackName: string): string =>
  functionArn.slice(functionArn.lastIndexOf(':') + 1 + stackName.length + 1);

/** @throws SetupError when the function is not part of the stack */
export function poolOf(pools: ReadonlyMap<string, WorkerPool>, functionArn: string): WorkerPool {
  const pool = pools.get(functionArn);
  if (pool === undefined) throw new SetupError(`Something leads to ${functionArn}, which is not part of the stack.`);
  return pool;
}
