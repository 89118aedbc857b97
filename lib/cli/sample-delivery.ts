import { Webhook } from 'standardwebhooks';
import { github } from '../webhook/github.ts';
import { stripe } from '../webhook/stripe.ts';
import { sign } from '../webhook/verify-signature.ts';
import type { WebhookSourceName } from './webhook-secrets.ts';

interface Sample {
  readonly body: string;
  readonly eventId: string;
  readonly secret: string;
  readonly now: Date;
}

/**
 * The headers with which each source sends a body. Standard Webhooks' are made by its own package, so that what verifies
 * them here is held against code that is not ours; its verification is not used, since it decodes the body and takes
 * timestamps that merely start with a number.
 */
export const SIGNED_HEADERS: Readonly<Record<WebhookSourceName, (sample: Sample) => Record<string, string>>> = {
  standard: ({ body, eventId, secret, now }) => ({
    'webhook-id': eventId,
    'webhook-timestamp': epochSeconds(now),
    'webhook-signature': new Webhook(secret).sign(eventId, now, body),
  }),
  stripe: ({ body, secret, now }) => {
    const signature = sign(stripe, stripe.key(secret), [`${epochSeconds(now)}.`, body]);
    return { 'stripe-signature': `t=${epochSeconds(now)},v1=${signature}` };
  },
  github: ({ body, eventId, secret }) => ({
    'x-github-delivery': eventId,
    'x-github-event': 'payment',
    'x-hub-signature-256': `sha256=${sign(github, github.key(secret), [body])}`,
  }),
};

const epochSeconds = (time: Date): string => `${Math.floor(time.getTime() / 1_000)}`;
