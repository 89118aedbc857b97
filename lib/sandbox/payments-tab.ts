import { createRetryingFetch, type RetryingFetch } from '../client/retrying-fetch.ts';
import { byId, isOn, onPress, say } from './element.ts';
import { cents, euros } from './euros.ts';
import { explainAnswer } from './explain-answer.ts';
import { shortKey, showKeyStore } from './key-store-panel.ts';
import type { CloudState } from './local-cloud.ts';
import { Log } from './log.ts';
import { showMoney } from './money-panel.ts';
import type { Payment } from './payment.ts';
import { PaymentBook } from './payment-book.ts';
import { isFinal, type Sending, sendPayment } from './send-payment.ts';

/** Each press of a button is one attempt, so that one sees each; two tabs of a browser share their storage. */
const SINGLE = { storage: localStorage, attempts: 1, attemptTimeout: 30_000, circuit: { failures: 1_000, openFor: 1 } };
/** What was pending when the cloud stopped is sent until it is answered. */
const PATIENT = { storage: localStorage, attempts: 100, deadline: 600_000, backoff: { base: 500, cap: 3_000 } };

/** The tab about requests: a payment, sent in every way that goes wrong. */
export class PaymentsTab {
  readonly #book = new PaymentBook(localStorage);
  readonly #log = new Log('payments');
  readonly #tabs = [createRetryingFetch(SINGLE), createRetryingFetch(SINGLE)] as const;
  readonly #patient = createRetryingFetch(PATIENT);
  readonly #refresh: () => Promise<void>;
  /** The payments that this page is sending: they are not abandoned. */
  readonly #underWay = new Set<number>();

  /** @param refresh is called when there may be something new to show */
  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
    onPress('send', () => this.#press(1, isOn('drop-responses')));
    onPress('send-twice', () => this.#press(2, isOn('drop-responses')));
    onPress('retry', () => this.#press(1, false));
    onPress('new-key', () => this.#begin('Another payment, so another key.'));
    byId('slow-provider', HTMLInputElement).addEventListener('change', () => this.#changeCard());
    // Enter presses Send; the page stays.
    byId('payment-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
  }

  async show(state: CloudState): Promise<void> {
    const payments = this.#book.all();
    showCurrent(payments.at(-1));
    await Promise.all([showMoney(payments, state), showKeyStore(payments, state)]);
  }

  /** Finishes what was sent and never answered: after a reload, and when the cloud is back. */
  async resume(): Promise<void> {
    const abandoned = this.#book
      .all()
      .filter(({ number, pending, naive }) => pending && !naive && !this.#underWay.has(number));
    await Promise.all(abandoned.map((payment) => this.#resumeOne(payment)));
  }

  /** Forgets all payments. */
  clear(): void {
    this.#book.clear();
    this.#log.begin();
  }

  async #resumeOne(payment: Payment): Promise<void> {
    const text = `Payment ${payment.number} was never answered: it is sent again with the key that was kept.`;
    this.#log.add({ title: 'Resumed', tone: 'plain', rule: 'R39', text });
    const sending = { amount: payment.amount, dropsAnswer: false, honorsKeys: true, waits: false };
    await this.#send(payment, payment.intent, sending, this.#patient);
  }

  async #press(times: 1 | 2, dropsAnswer: boolean): Promise<void> {
    const amount = cents(byId('amount', HTMLInputElement).value);
    if (typeof amount === 'string') return this.#log.add({ title: 'Not sent', tone: 'bad', text: amount });
    const payment = this.#book.current() ?? this.#book.begin(card());
    const sending = { amount, dropsAnswer, honorsKeys: isOn('honors-keys'), waits: isOn('duplicates-wait') };
    await Promise.all(this.#tabs.slice(0, times).map((tab) => this.#send(payment, intentFor(payment), sending, tab)));
  }

  async #send(payment: Payment, intent: string, sending: Sending, client: RetryingFetch): Promise<void> {
    const key = await client.intent(intent).key();
    const { amount, honorsKeys } = sending;
    const wasPending = this.#book.all()[payment.number - 1]?.pending === true;
    const { keys, sends } = this.#book.send(payment, { amount, intent, key, naive: !honorsKeys });
    this.#underWay.add(payment.number);
    void this.#refresh();
    const answer = await sendPayment(client, intent, payment, sending);
    this.#underWay.delete(payment.number);
    // A reused key says nothing about what it was used for.
    if (isFinal(answer) || (answer.status === 422 && !wasPending)) this.#book.settle(payment);
    const circumstances = { amount: euros(amount), honorsKeys, again: sends > 1, anotherKey: keys.indexOf(key) > 0 };
    this.#log.add(explainAnswer(answer, circumstances));
    await this.#refresh();
  }

  async #begin(why: string): Promise<void> {
    const payment = this.#book.begin(card());
    // Before anything is fetched: what has no key yet cannot be retried.
    showCurrent(payment);
    this.#log.add({ title: `Payment ${payment.number}`, tone: 'plain', rule: 'R39', text: why });
    await this.#refresh();
  }

  /** The card is a part of the request, so a payment that was sent keeps its own. */
  #changeCard(): void {
    const payment = this.#book.current();
    if (payment === undefined || payment.source === card() || this.#book.changeCard(payment, card())) return;
    const text =
      'It keeps its card, which is a part of what its key stands for. New key begins one with the other card.';
    this.#log.add({ title: `Payment ${payment.number}`, tone: 'plain', rule: 'R7', text });
  }
}

const card = (): string => (isOn('slow-provider') ? 'tok_slow' : 'tok_ok');

/** One intent for a payment; a client that does it wrong makes one for each attempt. */
const intentFor = ({ number }: Payment): string =>
  isOn('new-key-per-attempt') ? `payment-${number}-${crypto.randomUUID()}` : `payment-${number}`;

function showCurrent(payment: Payment | undefined): void {
  const key = payment?.keys.at(-1);
  const text =
    payment === undefined || key === undefined
      ? `Payment ${payment?.number ?? 1}: not sent yet, so it has no key.`
      : `Payment ${payment.number}, key ${shortKey(key)}${payment.pending ? ', not answered yet' : ''}`;
  say('current-payment', text);
  byId('retry', HTMLButtonElement).disabled = key === undefined;
}
