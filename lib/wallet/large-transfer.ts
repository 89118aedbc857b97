import * as z from 'zod';
import { ENVIRONMENT } from '../environment.ts';
import type { MessagePlan } from '../protocol/message.ts';
import { emit } from '../protocol/outbox.ts';
import type { Effect } from '../protocol/plan.ts';
import type { Milliseconds } from '../protocol/time.ts';

/** Above this, somebody wants to hear of a transfer: 1,000.00 in a currency with cents. */
export const DEFAULT_LIMIT = 100_000;

/**
 * The limit that the environment sets.
 *
 * @default DEFAULT_LIMIT
 * @throws RangeError for what is not a whole number of minor units
 */
export function environmentLimit(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment[ENVIRONMENT.largeTransferLimit];
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RangeError(`${ENVIRONMENT.largeTransferLimit} must be a whole number of minor units, not ${text}.`);
}

/** What is told of a large transfer. */
export const LargeTransfer = z.object({
  transfer: z.string(),
  from: z.string(),
  to: z.string(),
  amount: z.int(),
  currency: z.string(),
});

/** Tells of a transfer above the limit, together with it. Its event id derives from the operation's. */
export const tellOfLarge = (
  told: z.infer<typeof LargeTransfer>,
  {
    limit,
    caller,
    operation,
  }: {
    readonly limit: number;
    readonly caller: string;
    readonly operation: {
      readonly uuid: string;
      readonly now: Milliseconds;
      readonly correlationId?: string | undefined;
    };
  },
): readonly Effect[] => {
  if (told.amount <= limit) return [];
  const { uuid, now: createdAt, correlationId } = operation;
  const event = { id: `evt_${uuid}`, type: 'large-transfer', source: caller, body: told, createdAt };
  return [emit({ ...event, ...(correlationId !== undefined && { correlationId }) })];
};

/** Stores a notification for the people who look at large transfers. */
export const storeNotification = ({
  body,
  event: { id, source, now, correlationId },
}: {
  readonly body: z.infer<typeof LargeTransfer>;
  readonly event: {
    readonly id: string;
    readonly source: string;
    readonly now: Milliseconds;
    readonly correlationId: string | undefined;
  };
}): MessagePlan => ({
  effects: [
    {
      Put: {
        Item: {
          ...{ pk: `notification#${id}`, sk: 'notification', kind: 'large-transfer' },
          ...{ ...body, caller: source, storedAt: now },
          ...(correlationId !== undefined && { correlationId }),
        },
      },
    },
  ],
});
