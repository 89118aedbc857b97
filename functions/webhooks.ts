import { routes } from '../lib/http/routes.ts';
import { isPaymentEvent, PaymentEvent, receivePayment } from '../lib/wallet/payment-event.ts';
import { github } from '../lib/webhook/github.ts';
import { standardWebhooks } from '../lib/webhook/standard-webhooks.ts';
import { stripe } from '../lib/webhook/stripe.ts';
import { webhookRoute } from '../lib/webhook/webhook.ts';
import type { WebhookSource } from '../lib/webhook/webhook-source.ts';

const payments = (source: WebhookSource) =>
  webhookRoute({
    source,
    body: PaymentEvent,
    handles: isPaymentEvent,
    run: ({ body, event, read }) => receivePayment(body, event, read),
  });

export const handler = routes({
  'POST /webhooks/standard': payments(standardWebhooks),
  'POST /webhooks/stripe': payments(stripe),
  'POST /webhooks/github': payments(github),
});
