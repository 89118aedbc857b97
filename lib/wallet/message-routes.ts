import * as z from 'zod';
import { CreateDeposit } from './deposit.ts';
import type { PublishedRoute } from './published-route.ts';
import { SendNumbered } from './sender.ts';

const Accepted = z.object({ messageId: z.string().describe("The queue's id for this send.") });

/** The routes that hand their requests over to a queue, and what becomes visible of it. */
export const MESSAGE_ROUTES: readonly PublishedRoute[] = [
  {
    route: 'POST /deposits',
    summary: 'Deposit money from outside; an event id is credited once, however often it is sent',
    body: CreateDeposit,
    status: 202,
    answer: Accepted,
    problems: ['account-not-found', 'queue-unavailable'],
  },
  {
    route: 'POST /senders/{sender}/messages',
    summary: 'Send a numbered message; each number is applied once and in order',
    body: SendNumbered,
    status: 202,
    answer: Accepted,
    problems: ['queue-unavailable'],
  },
  {
    route: 'GET /senders/{sender}',
    summary: 'How far a sender was heard, and which numbers are missing',
    status: 200,
    answer: z.object({
      appliedUpTo: z.int(),
      total: z.int(),
      expected: z.int().describe('The number to go on with.'),
      gaps: z
        .array(z.object({ from: z.int(), to: z.int() }))
        .describe('Missing numbers below one that came too early.'),
    }),
    problems: ['invalid-query'],
  },
];
