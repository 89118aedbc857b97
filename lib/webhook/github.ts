import type { SignatureClaim, WebhookSource } from './webhook-source.ts';

const PREFIX = 'sha256=';

/**
 * GitHub's scheme: HMAC-SHA256 over the body alone. Neither the time nor the delivery's id is signed, so an old delivery
 * stays valid for ever: it is told apart by the body's hash.
 *
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export const github: WebhookSource = {
  name: 'github',
  encoding: 'hex',
  idIsSigned: false,
  key: (secret) => Buffer.from(secret, 'utf8'),
  claim: ({ bytes, header }): SignatureClaim | undefined => {
    const signature = header('X-Hub-Signature-256');
    if (!signature?.startsWith(PREFIX)) return undefined;
    return { signed: [bytes], signatures: [signature.slice(PREFIX.length)] };
  },
  eventId: ({ header }) => header('X-GitHub-Delivery'),
};
