import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { parseBody, readBody } from '../http/read-body.ts';
import type { HttpRequest } from '../http/request.ts';
import { type HttpResponse, respond } from '../http/respond.ts';
import { SemelError } from '../protocol/problems.ts';
import { serializeReply } from '../protocol/reply.ts';
import { behaviourOf } from './behaviours.ts';
import type { Charge, Kept, Ledger, Movement, Refund } from './ledger.ts';

interface SandboxOptions {
  readonly ledger: Ledger;
  /** @default a timer */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

type Answering = (request: HttpRequest) => Promise<HttpResponse>;

const Order = z.object({ amount: z.int().min(1), reference: z.string().min(1).max(255) });
const ChargeOrder = Order.extend({ currency: z.string(), source: z.string() });
const RefundOrder = Order.extend({ charge: z.string().max(255) });

/**
 * A payment provider to try against, with cards that misbehave on purpose: its routes, as a Lambda handler takes them.
 * Like a real one it acts once per `Idempotency-Key`, and finds what it did by its reference. It finds by one of the two
 * only, so they must be equal; without a key each request is a charge of its own, which cannot be found.
 */
export const sandboxProvider = ({ ledger, sleep = pause }: SandboxOptions): Readonly<Record<string, Answering>> => ({
  'POST /charges': (request) => charge(request, ledger, sleep),
  'GET /charges': async (request) => found(await ledger.findCharge(idOf('pay', referenceOf(request)))),
  'POST /refunds': (request) => refund(request, ledger),
  'GET /refunds': async (request) => found(await ledger.findRefund(idOf('ref', referenceOf(request)))),
});

async function charge(
  request: HttpRequest,
  ledger: Ledger,
  sleep: NonNullable<SandboxOptions['sleep']>,
): Promise<HttpResponse> {
  const order = parseBody(ChargeOrder, readBody(request, 'json'));
  const id = idOf('pay', keyOf(request, order.reference));
  const { does, answers, works, dawdles } = behaviourOf(order.source);
  if (does === 'nothing') return fault();
  const earlier = await ledger.findCharge(id);
  if (earlier === undefined && works !== undefined) await sleep(works);
  const status = does === 'charge' ? 'succeeded' : 'declined';
  const made: Charge = { id, ...order, status, refundable: does === 'charge' ? order.amount : 0 };
  const { kept, fresh } = earlier ? { kept: earlier, fresh: false } : await ledger.keepCharge(made);
  if (fresh && dawdles !== undefined) await sleep(dawdles);
  if (answers === 'fault') return fault();
  const same = kept.amount === order.amount && kept.currency === order.currency && kept.source === order.source;
  return same ? tell({ kept, fresh }) : reused();
}

async function refund(request: HttpRequest, ledger: Ledger): Promise<HttpResponse> {
  const order = parseBody(RefundOrder, readBody(request, 'json'));
  const id = idOf('ref', keyOf(request, order.reference));
  const made: Refund = { id, ...order, status: 'succeeded' };
  const outcome = await ledger.keepRefund(made);
  if (outcome === undefined) return declined('too little is left of the charge');
  const { kept } = outcome;
  return kept.amount === order.amount && kept.charge === order.charge ? tell(outcome) : reused();
}

/** An id that follows from the key, so that the same request always meets the same item. */
const idOf = (prefix: string, key: string): string =>
  `${prefix}_${createHash('sha256').update(key).digest('base64url').slice(0, 24)}`;

function keyOf(request: HttpRequest, reference: string): string {
  const keys = request.header('Idempotency-Key');
  if (keys.length === 0) return randomUUID();
  if (keys.length === 1 && keys[0] === reference) return reference;
  throw new SemelError('idempotency-key-invalid', 'The Idempotency-Key must be the same as the reference.');
}

function referenceOf(request: HttpRequest): string {
  const reference = request.query.get('reference');
  if (reference) return reference;
  throw new SemelError('invalid-query', 'reference is missing: it names what is looked for.');
}

const tell = <Kind extends Movement>({ kept, fresh }: Kept<Kind>): HttpResponse =>
  kept.status === 'declined' ? declined('the card was refused') : answer(fresh ? 201 : 200, shown(kept));

const found = (movement: Movement | undefined): HttpResponse => {
  if (movement === undefined) return answer(404, { error: 'not found' });
  return answer(
    200,
    movement.status === 'declined' ? { ...shown(movement), reason: 'the card was refused' } : shown(movement),
  );
};

const shown = ({ id, reference, amount, status }: Movement) => ({ id, reference, amount, status });
const declined = (reason: string): HttpResponse => answer(402, { status: 'declined', reason });
const reused = (): HttpResponse => answer(422, { error: 'The Idempotency-Key was used for another request.' });
const fault = (): HttpResponse => answer(500, { error: 'internal error' });
const answer = (status: number, body: unknown): HttpResponse => respond(serializeReply({ status, body }));
