import * as z from 'zod';
import { declined, type Found, type Outcome, succeeded, unknown } from '../protocol/outside-call.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { UnknownOutcome } from '../protocol/unknown-outcome.ts';
import { Amount } from './money.ts';

/** What the provider is asked to do. The reference is the operation id: the idempotency key, and how it is found again. */
interface Order {
  readonly reference: string;
  readonly amount: number;
}

export interface ChargeOrder extends Order {
  readonly currency: string;
  /** The card, as a token. */
  readonly source: string;
}

interface RefundOrder extends Order {
  /** The provider's id of the charge. */
  readonly charge: string;
}

/** What the provider did. */
export interface Receipt extends Order {
  /** The provider's own id. */
  readonly id: string;
}

/** Why the provider did nothing, and will not. */
export type Reason = string;

/** The payment provider, as operations see it. */
export interface Provider {
  charge(order: ChargeOrder, signal: AbortSignal): Promise<Outcome<Receipt, Reason>>;
  findCharge(order: Order, signal: AbortSignal): Promise<Found<Receipt, Reason>>;
  refund(order: RefundOrder, signal: AbortSignal): Promise<Outcome<Receipt, Reason>>;
  findRefund(order: Order, signal: AbortSignal): Promise<Found<Receipt, Reason>>;
}

interface ProviderOptions {
  readonly url: string;
  /** After how long a call counts as unanswered. */
  readonly timeout: Milliseconds;
}

/** Reasons are shown to clients and kept with their replies. */
const LONGEST_REASON = 200;

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), id: z.string().min(1), reference: z.string(), amount: Amount }),
  z.object({ status: z.literal('declined'), reason: z.string().transform((text) => text.slice(0, LONGEST_REASON)) }),
]);

/**
 * The provider behind an HTTP API. Only a well-formed success and a 402 say how a call ended; whatever else comes back,
 * or nothing, leaves the outcome unknown.
 */
export function httpProvider(options: ProviderOptions): Provider {
  const post = (path: string, order: Order, signal: AbortSignal) =>
    known(async () => readOutcome(await sendOrder(options, path, order, signal), order));
  const find = (path: string, order: Order, signal: AbortSignal) =>
    known(async () => readFound(await askFor(options, path, order, signal), order));
  return {
    charge: (order, signal) => post('/charges', order, signal),
    findCharge: (order, signal) => find('/charges', order, signal),
    refund: (order, signal) => post('/refunds', order, signal),
    findRefund: (order, signal) => find('/refunds', order, signal),
  };
}

/** Once the call has begun, a throw says nothing about what was done. */
async function known<Known>(call: () => Promise<Known>): Promise<Known | ReturnType<typeof unknown>> {
  try {
    return await call();
  } catch (thrown) {
    return unknown(thrown);
  }
}

const sendOrder = ({ url, timeout }: ProviderOptions, path: string, order: Order, signal: AbortSignal) =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': order.reference },
    body: JSON.stringify(order),
    // A redirect would turn the POST into a GET, and its answer would be about something else.
    redirect: 'error',
    signal: inTime(timeout, signal),
  });

const askFor = ({ url, timeout }: ProviderOptions, path: string, { reference }: Order, signal: AbortSignal) =>
  fetch(new URL(`${path}?${new URLSearchParams({ reference })}`, url), {
    redirect: 'error',
    signal: inTime(timeout, signal),
  });

const inTime = (timeout: Milliseconds, signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(timeout)]);

async function readOutcome(response: Response, order: Order): Promise<Outcome<Receipt, Reason>> {
  if (response.status === 402) return declined(await readReason(response));
  return response.ok ? readAnswer(await readJson(response), order) : unanswered(response);
}

async function readFound(response: Response, order: Order): Promise<Found<Receipt, Reason>> {
  if (response.status !== 404) return response.ok ? readAnswer(await readJson(response), order) : unanswered(response);
  await response.body?.cancel();
  return { kind: 'not-found' };
}

/** What is no JSON is quoted by the error about it, which is logged. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new UnknownOutcome("The provider's answer is not JSON.");
  }
}

/** An answer about another amount or reference than ours is no answer to our question. */
function readAnswer(body: unknown, { reference, amount }: Order): Outcome<Receipt, Reason> {
  const { data: answer } = Answer.safeParse(body);
  if (answer === undefined) return unknown(new UnknownOutcome("The provider's answer has another form than agreed."));
  if (answer.status === 'declined') return declined(answer.reason);
  if (answer.reference === reference && answer.amount === amount)
    return succeeded({ id: answer.id, reference, amount });
  return unknown(new UnknownOutcome("The provider's answer is about another charge."));
}

/** The 402 is the answer; its body only explains. */
async function readReason(response: Response): Promise<Reason> {
  const body = Answer.safeParse(await response.json().catch(() => undefined));
  return body.success && body.data.status === 'declined' ? body.data.reason : 'no reason was given';
}

async function unanswered(response: Response) {
  await response.body?.cancel();
  return unknown(new UnknownOutcome(`The provider answered ${response.status}.`));
}
