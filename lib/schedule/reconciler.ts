import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { reconcile } from '../engine/reconcile.ts';
import type { LeasedOperation } from '../protocol/leased-operation.ts';
import { milliseconds } from '../protocol/time.ts';

const logger = new Logger();

/**
 * A scheduled Lambda handler that finishes what its clients left unfinished.
 *
 * @returns how many operations were left in which state, such as `{ settled: 2, unknown: 1 }`
 * @example export const handler = reconciler([CHARGE, REFUND]);
 */
export const reconciler =
  // biome-ignore lint/suspicious/noExplicitAny: operations of different intents in one list
    (operations: readonly LeasedOperation<any, any, any>[], engine: () => Engine = environmentEngine) =>
    async (_event: unknown, context: Context): Promise<Readonly<Record<string, number>>> => {
      const on = engine();
      const endsAt = milliseconds(on.surroundings.now() + context.getRemainingTimeInMillis());
      const counts = await reconcile(on, operations, endsAt);
      logger.info('Reconciled', { counts });
      return counts;
    };
