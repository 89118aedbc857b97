/** The package's entry `semel/cdk`: the constructs that give a handler what it needs, and nothing beside. */

export type { WatchThresholds } from '../constructs/alarm-specs.ts';
export { BundledFunction, type BundledFunctionProps } from '../constructs/bundled-function.ts';
export type { ConsumerQueue, ConsumerQueueProps, ExistingQueue } from '../constructs/consumer-queue.ts';
export { type DataAccess, grantData } from '../constructs/data-access.ts';
export { IdempotencyTable, type IdempotencyTableProps } from '../constructs/idempotency-table.ts';
export {
  type IdempotencyMode,
  IdempotentEndpoint,
  type IdempotentEndpointProps,
  type Route,
} from '../constructs/idempotent-endpoint.ts';
export { OnceQueue, type OnceQueueProps } from '../constructs/once-queue.ts';
export { Outbox, type OutboxProps } from '../constructs/outbox.ts';
export { grantReplyKey } from '../constructs/reply-key.ts';
export { SequenceQueue, type SequenceQueueProps } from '../constructs/sequence-queue.ts';
export type { ItemAction } from '../constructs/table-grant.ts';
export { Watch, type WatchProps } from '../constructs/watch.ts';
export { WebhookEndpoint, type WebhookEndpointProps, type WebhookSourceProps } from '../constructs/webhook-endpoint.ts';
