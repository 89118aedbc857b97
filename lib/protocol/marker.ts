import type { Seconds } from './time.ts';

/** The version of a marker's shape. */
const MARKER_VERSION = 1;

/** The item that says: this message or event was applied. Written together with its effects or not at all (R25). */
export interface Marker {
  /** `msg#<consumer>#<hash of consumer, source and event id>` (R26). */
  readonly pk: string;
  readonly schemaVersion: number;
  /** Of the body: the same event id with another body is another event (R25). */
  readonly fingerprint: string;
  /** Which delivery wrote it, so that a resent write knows itself (R10). */
  readonly ownerToken: string;
  readonly expiresAt: Seconds;
  readonly correlationId?: string;
}

/** What a delivery knows about itself when it meets a marker. */
export type Delivery = Pick<Marker, 'fingerprint' | 'ownerToken'>;

/** What the marker that a delivery met says about it. */
export type MarkerDecision =
  /** This very delivery wrote it, and the answer was lost: it is applied, and not a duplicate. */
  | 'applied-by-us'
  /** An earlier delivery applied the same event. */
  | 'duplicate'
  /** The event id was used for another event. */
  | 'event-id-reused';

/** A marker, as it is written. @example newMarker({ pk: 'msg#deposits#x', … }).schemaVersion // 1 */
export const newMarker = (facts: Omit<Marker, 'schemaVersion'>): Marker => ({
  schemaVersion: MARKER_VERSION,
  ...facts,
});

/**
 * Decides what a delivery is, given the marker that it met. A marker counts for as long as it is there, even past its
 * retention: nobody uses an event id again for something new.
 *
 * @rule R25
 */
export function decideMarker(marker: Delivery, delivery: Delivery): MarkerDecision {
  if (marker.ownerToken === delivery.ownerToken) return 'applied-by-us';
  return marker.fingerprint === delivery.fingerprint ? 'duplicate' : 'event-id-reused';
}
