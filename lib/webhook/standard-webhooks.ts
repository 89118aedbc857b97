import type { SignatureClaim, WebhookSource } from './webhook-source.ts';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A full stop separates the signed parts, so an id with one in it could be read in two ways. */
const MESSAGE_ID = /^[^.\s]{1,255}$/;

/**
 * Standard Webhooks, version 1 signatures: HMAC-SHA256 over `id.timestamp.body`, several signatures in one header.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const standardWebhooks: WebhookSource = {
  name: 'standard',
  encoding: 'base64',
  idIsSigned: true,
  key: decodeSecret,
  claim: ({ bytes, header }): SignatureClaim | undefined => {
    const id = header('webhook-id');
    const timestamp = header('webhook-timestamp');
    const signatures = header('webhook-signature');
    if (id === undefined || timestamp === undefined || signatures === undefined) return undefined;
    if (!MESSAGE_ID.test(id)) return undefined;
    return { signed: [`${id}.${timestamp}.`, bytes], signatures: version1(signatures), timestamp };
  },
  eventId: ({ header }) => header('webhook-id'),
};

/** Other versions stand beside version 1 while a provider moves on; they are not for this key. */
const version1 = (header: string): readonly string[] =>
  header
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => signature.slice('v1,'.length));

function decodeSecret(secret: string): Uint8Array {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!BASE64.test(encoded)) throw new Error(`it must be ${PREFIX} and the key in base64`);
  return Buffer.from(encoded, 'base64');
}
