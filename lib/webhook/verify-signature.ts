import { createHmac, timingSafeEqual } from 'node:crypto';
import { SemelError } from '../protocol/problems.ts';
import type { Milliseconds } from '../protocol/time.ts';
import type { Delivery, SignatureClaim, WebhookSource } from './webhook-source.ts';

/** How far a signed time may be from ours, in seconds, in either direction: clocks differ, and old deliveries get caught. */
const TOLERANCE = 300;
const EPOCH_SECONDS = /^(?:0|[1-9]\d{0,11})$/;

/** Rotation leaves two or three; each one costs a comparison for each key. */
const MOST_SIGNATURES = 16;

/**
 * Makes sure that a delivery comes from who has a secret, as it was sent, and lately.
 *
 * @rule R31
 * @param keys one for each secret that is valid now: during a rotation, the old and the new one
 * @throws SemelError `signature-invalid`
 */
export function verifySignature(
  source: WebhookSource,
  keys: readonly Uint8Array[],
  delivery: Delivery,
  now: Milliseconds,
): void {
  const claim = source.claim(delivery);
  if (claim === undefined) throw invalid(`The request is not signed the way ${source.name} signs.`);
  if (claim.timestamp !== undefined) checkTime(claim.timestamp, now);
  const expected = keys.map((key) => sign(source, key, claim.signed));
  const given = claim.signatures.slice(0, MOST_SIGNATURES);
  // Every pair is compared, so that the time this takes does not tell which key was close.
  const matches = given.flatMap((signature) => expected.filter((mine) => sameText(mine, signature)));
  if (matches.length === 0) throw invalid('No signature matches the body as it arrived.');
}

/** The signature that a source spells under this key. @example sign(github, key, ['Hello']) */
export const sign = (
  { algorithm = 'sha256', encoding }: WebhookSource,
  key: Uint8Array,
  signed: SignatureClaim['signed'],
): string => signed.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, key)).digest(encoding);

function checkTime(timestamp: string, now: Milliseconds): void {
  if (!EPOCH_SECONDS.test(timestamp)) throw invalid('The timestamp must be a whole number of epoch seconds.');
  const age = Math.floor(now / 1_000) - Number(timestamp);
  if (Math.abs(age) <= TOLERANCE) return;
  throw invalid(
    `The timestamp is ${Math.abs(age)} s in the ${age > 0 ? 'past' : 'future'}; ${TOLERANCE} s are allowed.`,
  );
}

/** In constant time for texts of one length; the length of a signature is no secret. */
function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}

const invalid = (detail: string) => new SemelError('signature-invalid', detail);
