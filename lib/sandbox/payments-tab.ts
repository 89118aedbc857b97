import { createRetryingFetch, type RetryingFetch } from '../client/retrying-fetch.ts';
import { byId, isOn, say } from './element.ts';
import { cents, euros } from './euros.ts';
import { explainAnswer } from './explain-answer.ts';
import type { Explanation } from './explanation.ts';
import { shortKey, showKeyStore } from './key-store-panel.ts';
import type { CloudState } from './local-cloud.ts';
import { Log } from './log.ts';
import { markedFetch } from './marked-fetch.ts';
import { showMoney } from './money-panel.ts';
import type { Page } from './page.ts';
import type { Payment } from './payment.ts';
import { PaymentBook } from './payment-book.ts';
import { onPress, tried } from './press.ts';
import { isFinal, type Sending, sendPayment } from './send-payment.ts';

/** Each press of a button is one attempt, so that one sees each. */
const SINGLE = { fetch: markedFetch, attempts: 1, attemptTimeout: 30_000, circuit: { failures: 1_000, openFor: 1 } };
/** What was pending when the cloud stopped is sent until it is answered. */
const PATIENT = { fetch: markedFetch, attempts: 100, deadline: 600_000, backoff: { base: 500, cap: 3_000 } };

/** The tab about requests: a payment, sent in every way that goes wrong. */
export class PaymentsTab {
  readonly #book: PaymentBook;
  readonly #log = new Log('payments');
  /** Two tabs of a browser share their storage. */
  readonly #tabs: readonly RetryingFetch[];
  readonly #patient: RetryingFetch;
  readonly #page: Page;
  /** The payments that this page is sending: they are not abandoned. */
  readonly #underWay = new Set<number>();

  constructor(page: Page) {
    const { storage } = page;
    this.#page = page;
    this.#book = new PaymentBook(storage);
    this.#tabs = [createRetryingFetch({ ...SINGLE, storage }), createRetryingFetch({ ...SINGLE, storage })];
    this.#patient = createRetryingFetch({ ...PATIENT, storage });
    onPress('send', this.#log, () => this.#press(1, isOn('drop-responses')));
    onPress('send-twice', this.#log, () => this.#press(2, isOn('drop-responses')));
    onPress('retry', this.#log, () => this.#press(1, false));
    onPress('new-key', this.#log, () => this.#begin('Another payment, so another key.'));
    onPress('reset', this.#log, page.reset);
    byId('slow-provider', HTMLInputElement).addEventListener('change', () => void tried(this.#log, this.#changeCard));
    // Enter presses Send; the page stays.
    byId('payment-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
  }

  /** @throws NotKept when what is kept of the payments is damaged */
  async show(state: CloudState): Promise<void> {
    const payments = this.payments();
    showCurrent(payments.at(-1));
    await Promise.all([showMoney(payments, state), showKeyStore(payments, state)]);
  }

  /** @throws NotKept when what is kept of them is damaged */
  payments(): readonly Payment[] {
    return this.#book.all();
  }

  /** Finishes what was sent and never answered: after a reload, and when the cloud is back. */
  resume(): Promise<void> {
    return tried(this.#log, async () => {
      const abandoned = this.payments().filter(
        ({ number, pending, naive }) => pending && !naive && !this.#underWay.has(number),
      );
      await Promise.all(abandoned.map((payment) => tried(this.#log, () => this.#resumeOne(payment))));
    });
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
    // What is sent in between would be charged and wiped, or charged and not wiped.
    await this.#page.afterReset();
    const payment = this.#book.current() ?? this.#book.begin(card());
    const sending = { amount, dropsAnswer, honorsKeys: isOn('honors-keys'), waits: isOn('duplicates-wait') };
    const sends = this.#tabs.slice(0, times).map((tab) => this.#send(payment, intentFor(payment), sending, tab));
    await Promise.all(sends);
  }

  async #send(payment: Payment, intent: string, sending: Sending, client: RetryingFetch): Promise<void> {
    const signal = this.#page.wiping();
    const key = await client.intent(intent).key();
    const { amount, honorsKeys } = sending;
    const wasPending = this.payments()[payment.number - 1]?.pending === true;
    const sent = this.#book.send(payment, { amount, intent, key, naive: !honorsKeys });
    if (sent === undefined) return this.#log.add(wiped(payment));
    const { keys, sends } = sent;
    this.#underWay.add(payment.number);
    void this.#page.look();
    const answer = await sendPayment(client, intent, payment, sending, signal).finally(() =>
      this.#underWay.delete(payment.number),
    );
    await this.#page.afterReset();
    if (!this.#book.knows(payment, key)) return this.#log.add(wiped(payment));
    const keepsKey = intentFor(payment) === intent;
    const circumstances = { honorsKeys, keepsKey, again: sends > 1, anotherKey: keys.indexOf(key) > 0 };
    const explanation = explainAnswer(answer, { ...circumstances, amount: euros(amount) });
    this.#log.add({ ...explanation, text: `${this.#nameOf(payment)}${explanation.text}` });
    if (isFinal(answer, wasPending)) this.#book.settle(payment);
    await this.#page.look();
  }

  /** Where there are several payments, each line says about which of them it is. */
  #nameOf({ number }: Payment): string {
    return this.payments().length > 1 ? `Payment ${number}: ` : '';
  }

  async #begin(why: string): Promise<void> {
    const payment = this.#book.begin(card());
    // Before anything is fetched: what has no key yet cannot be retried.
    showCurrent(payment);
    this.#log.add({ title: `Payment ${payment.number}`, tone: 'plain', rule: 'R39', text: why });
    await this.#page.look();
  }

  /** The card is a part of the request, so a payment that was sent keeps its own. */
  readonly #changeCard = async (): Promise<void> => {
    const payment = this.#book.current();
    if (payment === undefined || payment.source === card() || this.#book.changeCard(payment, card())) return;
    const text =
      'It keeps its card, which is a part of what its key stands for. New key begins one with the other card.';
    this.#log.add({ title: `Payment ${payment.number}`, tone: 'plain', rule: 'R7', text });
  };
}

const wiped = ({ number }: Payment): Explanation => {
  const text = `Payment ${number} was pending at the reset: it belongs to what was wiped, and its answer is not waited for.`;
  return { title: 'Wiped', tone: 'plain', text };
};

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
