import { createHash } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { toBase64Url } from '../protocol/base64url.ts';
import { newMarker } from '../protocol/marker.ts';
import { ALREADY_APPLIED } from '../protocol/message.ts';
import { OWN_TABLE } from '../protocol/outbox.ts';
import type { Effect } from '../protocol/plan.ts';
import { scopedKey } from '../protocol/scope.ts';
import { expiryAfter, type Seconds } from '../protocol/time.ts';

/** A verified delivery whose event id proves nothing. */
interface UnsignedId {
  readonly consumer: string;
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly retention: Seconds;
}

/**
 * Remembers the signed bytes beside the event id, which is not signed: whoever caught a delivery could send it again
 * under an id of their own, but not with other bytes. An effect like the others, so it commits with them.
 *
 * @rule R31
 */
export function seenBody(engine: Engine, { consumer, source, bytes, retention }: UnsignedId): Effect {
  const fingerprint = createHash('sha256').update(bytes).digest('hex');
  // One part more than an event id's, so that no id reads like a body.
  const hash = toBase64Url(engine.hashKey(scopedKey([consumer, source, 'body', fingerprint])));
  const marker = newMarker({
    pk: `msg#${consumer}#${hash}`,
    fingerprint,
    ownerToken: engine.surroundings.token(),
    expiresAt: expiryAfter(engine.surroundings.now(), retention),
  });
  return {
    Put: {
      TableName: OWN_TABLE,
      Item: { ...marker },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
    refuse: () => ALREADY_APPLIED,
  };
}
