import type { SignatureClaim, WebhookSource } from './webhook-source.ts';

/**
 * Stripe's scheme `t=…,v1=…`: HMAC-SHA256 over `timestamp.body`, keyed with the secret's text, prefix included.
 *
 * @see https://docs.stripe.com/webhooks/signature
 */
export const stripe: WebhookSource = {
  name: 'stripe',
  encoding: 'hex',
  // It is a member of the body, which is signed as a whole.
  idIsSigned: true,
  key: (secret) => Buffer.from(secret, 'utf8'),
  claim: ({ bytes, header }): SignatureClaim | undefined => {
    const parts = (header('Stripe-Signature') ?? '').split(',').map((part) => part.trim());
    const [timestamp, second] = valuesOf(parts, 't');
    if (timestamp === undefined || second !== undefined) return undefined;
    return { signed: [`${timestamp}.`, bytes], signatures: valuesOf(parts, 'v1'), timestamp };
  },
  eventId: (_, { id }) => (typeof id === 'string' ? id : undefined),
  // It counts the endpoints that have not answered yet, so it may change from one delivery of an event to the next.
  stablePart: ({ pending_webhooks: _, ...stable }) => stable,
};

const valuesOf = (parts: readonly string[], name: string): readonly string[] =>
  parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
