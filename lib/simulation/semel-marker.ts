import { itemSize } from '../protocol/item-size.ts';
import { decideMarker, type Marker, newMarker } from '../protocol/marker.ts';
import { dedupeParts } from '../protocol/message.ts';
import { scopedKey } from '../protocol/scope.ts';
import { days } from '../protocol/time.ts';
import { ACKNOWLEDGE, type Approach, together } from './consumer.ts';
import type { Message } from './message.ts';

/** SHA-256 in hexadecimal: a marker carries the body's. */
const FINGERPRINT_LENGTH = 64;

/** Semel's consumer for messages in any order: a marker for each, written together with its effect (R25). */
export const semelMarker: Approach = {
  name: 'Semel, marker each',
  start() {
    const markers = new Map<string, Marker>();
    let deliveries = 0;
    let bytes = 0;
    return {
      receive(message) {
        deliveries += 1;
        const marker = markerOf(message, deliveries);
        const met = markers.get(marker.pk);
        if (met !== undefined && decideMarker(met, marker) === 'duplicate') return ACKNOWLEDGE;
        return together(() => {
          markers.set(marker.pk, marker);
          bytes += itemSize({ ...marker });
        });
      },
      memory: () => bytes,
    };
  },
};

const markerOf = ({ id, sender }: Message, delivery: number): Marker =>
  newMarker({
    pk: `msg#${scopedKey(dedupeParts({ consumer: 'simulation', source: sender, eventId: id }))}`,
    fingerprint: id.padEnd(FINGERPRINT_LENGTH, '0'),
    ownerToken: `delivery-${delivery}`,
    expiresAt: days(14),
  });
