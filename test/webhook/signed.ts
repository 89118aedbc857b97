import { sign } from '../../lib/webhook/verify-signature.ts';
import type { WebhookSource } from '../../lib/webhook/webhook-source.ts';

export const SECRETS = {
  standard: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  stripe: 'whsec_stripe',
  github: 's3cret',
} as const;

interface Signing {
  readonly id: string;
  /** Epoch seconds. */
  readonly at: number;
  readonly body: string;
  readonly secret?: string;
}

/** The headers with which a source sends a body. */
export function signed(source: WebhookSource, { id, at, body, secret }: Signing): Record<string, string> {
  const key = source.key(secret ?? SECRETS[source.name as keyof typeof SECRETS]);
  switch (source.name) {
    case 'standard':
      return {
        'webhook-id': id,
        'webhook-timestamp': `${at}`,
        'webhook-signature': `v1,${sign(source, key, [`${id}.${at}.`, body])}`,
      };
    case 'stripe':
      return { 'Stripe-Signature': `t=${at},v1=${sign(source, key, [`${at}.`, body])}` };
    default:
      return { 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': `sha256=${sign(source, key, [body])}` };
  }
}
