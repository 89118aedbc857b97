/** A delivery as it arrived: its bytes are what was signed, never a decoded or re-serialized form of them. */
export interface Delivery {
  readonly bytes: Uint8Array;
  /** The value of a header that occurs exactly once, in any spelling of its name; else undefined. */
  header(name: string): string | undefined;
}

/** An event as it was sent: a JSON object, of which nothing more is known. */
export type WebhookEvent = Readonly<Record<string, unknown>>;

/** What a delivery says about its own signature, before any of it is believed. */
export interface SignatureClaim {
  /** What is said to be signed, part after part. */
  readonly signed: readonly (string | Uint8Array)[];
  /** The signatures, spelled as the source spells them; one that matches is enough. */
  readonly signatures: readonly string[];
  /** When it was signed, in epoch seconds; undefined for a source that signs no time. */
  readonly timestamp?: string;
}

/**
 * How one provider signs its webhooks: all that a new source has to say.
 *
 * @example
 * const shop: WebhookSource = {
 *   name: 'shop',
 *   encoding: 'base64',
 *   idIsSigned: false,
 *   key: (secret) => Buffer.from(secret),
 *   claim: ({ bytes, header }) => {
 *     const signature = header('X-Shop-Hmac');
 *     return signature === undefined ? undefined : { signed: [bytes], signatures: [signature] };
 *   },
 *   eventId: ({ header }) => header('X-Shop-Event'),
 * };
 */
export interface WebhookSource {
  /** Lower-case letters, digits and hyphens; part of every dedupe id, so it stays as it is. */
  readonly name: string;
  /** How signatures are spelled. */
  readonly encoding: 'hex' | 'base64';
  /** @default 'sha256' */
  readonly algorithm?: 'sha256' | 'sha512';
  /**
   * Does the signature cover the event id? If not, whoever caught one delivery could send it again under a fresh id, so
   * the signed bytes themselves are remembered too.
   */
  readonly idIsSigned: boolean;
  /** The HMAC key that a configured secret stands for. @throws Error for a secret that is malformed */
  key(secret: string): Uint8Array;
  /** Undefined when the delivery is not signed the way this source signs. */
  claim(delivery: Delivery): SignatureClaim | undefined;
  /** The id that the provider repeats when it sends an event again. */
  eventId(delivery: Delivery, event: WebhookEvent): string | undefined;
  /** The event without what may differ when it is sent again. @default the whole event */
  stablePart?(event: WebhookEvent): unknown;
}
