import * as z from 'zod';
import { CREATE_ACCOUNT, CREATE_CHARGE, CREATE_REFUND, CREATE_TRANSFER } from './keyed-operations.ts';
import { KEYLESS_ROUTES } from './keyless-routes.ts';
import { MESSAGE_ROUTES } from './message-routes.ts';
import type { PublishedRoute } from './published-route.ts';

const Account = z.object({
  id: z.string(),
  currency: z.string(),
  balance: z.int(),
  credits: z.int(),
  version: z.int(),
  displayName: z.string().optional().describe('Absent until PUT /accounts/{id}/settings has set it.'),
});

const Transfer = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  amount: z.int(),
  createdAt: z.iso.datetime(),
});

const Charge = z.object({
  id: z.string(),
  status: z.literal('succeeded'),
  amount: z.int(),
  refunded: z.int().describe('How much of it was given back.'),
  providerReference: z.string(),
});

const Refund = z.object({
  id: z.string(),
  charge: z.string(),
  amount: z.int(),
  status: z.literal('succeeded'),
});

const Operation = z.object({
  id: z.string(),
  status: z.enum(['in_progress', 'completed', 'needs_attention']),
  attempts: z.int(),
  createdAt: z.iso.datetime(),
  reply: z
    .object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string().optional() })
    .optional()
    .describe('Once it is completed: what every request with its key is answered.'),
});

const EntryPage = z.object({
  entries: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      amount: z.int().describe('Signed: negative where money left the account.'),
      balance: z.int().describe('The balance after this entry.'),
      operation: z.string(),
      createdAt: z.iso.datetime(),
    }),
  ),
  next: z.string().optional().describe('Send as after to read on; absent on the last page.'),
});

const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  retryable: z.boolean(),
  stored: z.boolean(),
});

export const ROUTES: readonly PublishedRoute[] = [
  {
    route: 'POST /accounts',
    summary: 'Open an account',
    keyed: CREATE_ACCOUNT,
    status: 201,
    answer: Account,
    problems: [],
  },
  {
    route: 'GET /accounts/{id}',
    summary: "Read one of the caller's accounts",
    status: 200,
    answer: Account,
    problems: ['account-not-found'],
  },
  {
    route: 'GET /accounts/{id}/entries',
    summary: "List an account's entries, newest first",
    query: {
      limit: {
        description: 'Entries on a page.',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      },
      after: { description: 'The next of the page before.', schema: { type: 'string' } },
    },
    status: 200,
    answer: EntryPage,
    problems: ['account-not-found', 'invalid-query'],
  },
  {
    route: 'POST /transfers',
    summary: 'Move money between two accounts',
    keyed: CREATE_TRANSFER,
    status: 201,
    answer: Transfer,
    problems: ['insufficient-funds', 'account-not-found', 'currency-mismatch', 'balance-limit'],
  },
  {
    route: 'GET /transfers/{id}',
    summary: 'Read a transfer',
    status: 200,
    answer: Transfer,
    problems: ['transfer-not-found'],
  },
  {
    route: 'POST /charges',
    summary: 'Charge a card and credit an account',
    keyed: CREATE_CHARGE,
    status: 201,
    answer: Charge,
    problems: ['card-declined', 'account-not-found', 'balance-limit'],
  },
  {
    route: 'GET /charges/{id}',
    summary: 'Read a charge',
    status: 200,
    answer: Charge.extend({ account: z.string() }),
    problems: ['charge-not-found'],
  },
  {
    route: 'POST /charges/{id}/refunds',
    summary: 'Give a charge back, in whole or in part',
    keyed: CREATE_REFUND,
    status: 201,
    answer: Refund,
    problems: ['refund-exceeds-charge', 'charge-not-found', 'insufficient-funds', 'card-declined'],
  },
  ...KEYLESS_ROUTES,
  ...MESSAGE_ROUTES,
  {
    route: 'GET /operations/{id}',
    summary: 'How an operation stands',
    status: 200,
    answer: Operation,
    problems: ['operation-not-found'],
  },
  {
    route: 'GET /openapi.json',
    summary: 'This description',
    open: true,
    status: 200,
    answer: z.looseObject({}),
    problems: [],
  },
  {
    route: 'GET /problems/{code}',
    summary: 'What a problem means',
    open: true,
    status: 200,
    answer: Problem,
    problems: ['problem-not-found'],
  },
  {
    route: 'GET /health',
    summary: 'Is the service up?',
    open: true,
    status: 200,
    answer: z.object({ status: z.literal('ok') }),
    problems: [],
  },
];
