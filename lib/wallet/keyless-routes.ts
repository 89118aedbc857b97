import * as z from 'zod';
import type { ProblemCode } from '../protocol/problems.ts';
import { PutGrant } from './grant.ts';
import { CreateOrder } from './order.ts';
import { PayOrder } from './order-payment.ts';
import { PaymentEvent } from './payment-event.ts';
import type { PublishedRoute } from './published-route.ts';
import { PutSettings } from './settings.ts';

const Order = z.object({
  orderId: z.string(),
  account: z.string(),
  amount: z.int(),
  status: z.enum(['pending', 'paid']),
  createdAt: z.iso.datetime(),
  attemptId: z.string().optional().describe('The attempt that paid it.'),
  paidAt: z.iso.datetime().optional(),
});

const Grant = z.object({ id: z.string(), account: z.string(), credits: z.int() });

const Received = z.object({
  received: z.literal(true),
  duplicate: z.boolean().describe('Was this event applied before?'),
});

const IF_MATCH =
  "The account's ETag, as you read it; a list of tags; or * for any version. A weak tag never matches (RFC 9110), and what is none of these is 412 like a version that is over.";

const WHEN_RECEIVED: readonly ProblemCode[] = [
  'signature-invalid',
  'event-id-reused',
  'message-refused',
  'balance-limit',
];

/** How each source signs. */
const SIGNED_BY = {
  standard: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  stripe: ['Stripe-Signature'],
  github: ['X-Hub-Signature-256', 'X-GitHub-Delivery'],
} as const;

const webhookRoute = (source: keyof typeof SIGNED_BY): PublishedRoute => ({
  route: `POST /webhooks/${source}`,
  summary: `Take an event that is signed the ${source} way; a payment credits an account`,
  open: true,
  body: PaymentEvent.extend({ id: z.string().optional() }),
  headers: Object.fromEntries(
    SIGNED_BY[source].map((name) => [name, { description: `As ${source} sends it.`, required: true }]),
  ),
  status: 200,
  answer: Received,
  problems: WHEN_RECEIVED,
});

/** The routes that need no key, each idempotent in its own way. */
export const KEYLESS_ROUTES: readonly PublishedRoute[] = [
  {
    route: 'POST /orders',
    summary: 'Place an order under your own id for it; placed again, it is answered as it stands',
    body: CreateOrder,
    status: 201,
    repeatedStatus: 200,
    answer: Order,
    problems: ['order-differs', 'account-not-found'],
  },
  {
    route: 'POST /orders/{orderId}/payment',
    summary: 'Pay a pending order; a paid one stays as it is',
    body: PayOrder,
    status: 200,
    answer: Order,
    problems: ['order-not-found', 'insufficient-funds'],
  },
  {
    route: 'PUT /accounts/{id}/grants/{grantId}',
    summary: 'Set a grant of credits',
    body: PutGrant,
    status: 201,
    repeatedStatus: 200,
    answer: Grant,
    problems: ['account-not-found', 'invalid-query', 'grant-deleted', 'balance-limit'],
  },
  {
    route: 'DELETE /accounts/{id}/grants/{grantId}',
    summary: 'Delete a grant for good',
    status: 204,
    problems: ['account-not-found', 'invalid-query', 'too-many-conflicts'],
  },
  {
    route: 'PUT /accounts/{id}/settings',
    summary: "Change an account's settings in the version you have seen",
    body: PutSettings,
    headers: { 'If-Match': { description: IF_MATCH, required: true } },
    status: 200,
    answer: PutSettings,
    problems: ['account-not-found', 'precondition-failed', 'precondition-required'],
  },
  webhookRoute('standard'),
  webhookRoute('stripe'),
  webhookRoute('github'),
];
