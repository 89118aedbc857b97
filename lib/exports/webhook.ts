/** The package's entry `semel/webhook`: providers' webhooks, verified and applied once. */
export { github } from '../webhook/github.ts';
export { standardWebhooks } from '../webhook/standard-webhooks.ts';
export { stripe } from '../webhook/stripe.ts';
export { type WebhookContext, type WebhookOptions, webhook, webhookRoute } from '../webhook/webhook.ts';
export type { ReadSecrets } from '../webhook/webhook-secrets.ts';
export type { Delivery, SignatureClaim, WebhookEvent, WebhookSource } from '../webhook/webhook-source.ts';
