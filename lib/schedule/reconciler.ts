import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Engine } from '../engine/engine.ts';
import { environmentEngine } from '../engine/environment-engine.ts';
import { assertCipher } from '../engine/keep-reply.ts';
import { measureAttention } from '../engine/measure-attention.ts';
import { publishingMetrics } from '../engine/published-metrics.ts';
import { reconcile, type TellReconciled } from '../engine/reconcile.ts';
import type { LeasedOperation } from '../protocol/leased-operation.ts';
import { milliseconds } from '../protocol/time.ts';

const logger = new Logger();

/**
 * A scheduled Lambda handler that finishes what its clients left unfinished, and measures what is.
 *
 * @returns how many operations were left in which state, such as `{ settled: 2, unknown: 1 }`
 * @throws AggregateError of the records that failed, once the others are done
 * @example export const handler = reconciler([CHARGE, REFUND]);
 */
export const reconciler =
  // biome-ignore lint/suspicious/noExplicitAny: operations of different intents in one list
    (operations: readonly LeasedOperation<any, any, any>[], engine: () => Engine = environmentEngine) =>
    (_event: unknown, context: Context): Promise<Readonly<Record<string, number>>> =>
      publishingMetrics(async () => {
        const on = engine();
        for (const operation of operations) assertCipher(operation, on);
        const endsAt = milliseconds(on.surroundings.now() + context.getRemainingTimeInMillis());
        await measureAttention(on, endsAt);
        const counts = await reconcile(on, operations, endsAt, logReconciled);
        logger.info('Reconciled', { counts });
        return counts;
      });

/**
 * The first request's correlation id comes out again here, however long its client is gone; and no client hears why an
 * outcome is not known, so it is told here.
 */
const logReconciled: TellReconciled = ({ operation, operationId, pk, correlationId, attempt }, outcome, cause) => {
  const line = {
    ...{ operation, operationId, correlationId, attempt, outcome },
    keyHash: pk.slice(pk.indexOf('#') + 1),
  };
  if (outcome === 'failed') logger.error('Failed to reconcile one', { ...line, error: cause as Error });
  else if (cause instanceof Error) logger.warn('Reconciled one', { ...line, error: cause });
  else logger.info('Reconciled one', line);
};
