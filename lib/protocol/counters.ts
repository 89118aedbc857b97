/** What is counted per operation (R38). */
export type Counter =
  | 'new'
  | 'replayed'
  | 'in-flight'
  | 'mismatch'
  | 'expired'
  | 'taken-over'
  | 'refused'
  | 'released'
  | 'unknown'
  | 'needs-attention'
  | 'duplicate-message'
  | 'gap'
  | 'dead-lettered'
  /** An event that the sweeper found in the outbox and could not send, or a part of the outbox that it could not read. */
  | 'unsent-event'
  | `reconciled-${'settled' | 'cancelled' | 'unknown' | 'needs-attention' | 'taken-by-another' | 'failed'}`
  /** A call to the store that did not go through and was made again, by its reason. */
  | `retried-${'conflict' | 'throttle' | 'unreachable'}`;

/** What is measured per operation at each run of the reconciler. */
export type Gauge =
  /** How many operations were found with a lapsed lease. */
  | 'unfinished-count'
  /** For how many seconds the oldest of them has been unfinished, counted from its first request. */
  | 'unfinished-oldest-age'
  /** The seconds since the lease of the oldest one lapsed that the reconciler does not know how to finish. */
  | 'abandoned-oldest-age'
  /** How many operations wait for a person. */
  | 'attention-count';

/** How metrics are found again: the namespace, and the dimensions under which each is published. */
export const METRICS = {
  namespace: 'Semel',
  /** All of a service's; alarms watch these. */
  service: 'service',
  /** One operation's, within its service. */
  operation: 'operation',
} as const;

/** Stands in the operation's place where a number belongs to no single one. */
export const EVERY_OPERATION = 'all';
