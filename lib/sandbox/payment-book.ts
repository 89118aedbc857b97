import { DAMAGED, NotKept, type PageStorage } from './page-storage.ts';
import type { Payment } from './payment.ts';

const ITEM = 'semel:sandbox:payments';

type Items = Pick<PageStorage, 'getItem' | 'setItem' | 'removeItem'>;

/** The payments of this browser: they survive a reload, so that what is pending can be finished. */
export class PaymentBook {
  readonly #storage: Items;

  constructor(storage: Items) {
    this.#storage = storage;
  }

  /**
   * The newest last.
   * @throws NotKept when what is kept is damaged
   */
  all(): readonly Payment[] {
    const kept: unknown = JSON.parse(this.#storage.getItem(ITEM) ?? '[]');
    if (Array.isArray(kept) && kept.every((payment) => Array.isArray(payment?.keys))) return kept;
    throw new NotKept(DAMAGED);
  }

  current(): Payment | undefined {
    return this.all().at(-1);
  }

  /** Is this payment still there, and not another one of its number? A reset, in any tab, forgets it. */
  knows({ number }: Payment, key: string): boolean {
    return this.all().some((payment) => payment.number === number && payment.keys.includes(key));
  }

  /** Begins another payment: nothing of it has been sent. */
  begin(source: string): Payment {
    const number = (this.current()?.number ?? 0) + 1;
    const intent = `payment-${number}`;
    const payment = { number, source, intent, amount: 0, keys: [], sends: 0, pending: false, naive: false };
    this.#keep([...this.all(), payment]);
    return payment;
  }

  /**
   * Notes what is about to be sent: before it is, or a crash would forget it.
   * @returns the payment; undefined when a reset has forgotten it
   */
  send(
    { number }: Payment,
    sent: Pick<Payment, 'amount' | 'intent' | 'naive'> & { readonly key: string },
  ): Payment | undefined {
    return this.#change(number, (payment) => ({
      ...payment,
      amount: payment.amount || sent.amount,
      intent: sent.intent,
      naive: sent.naive,
      sends: payment.sends + 1,
      pending: true,
      keys: payment.keys.includes(sent.key) ? payment.keys : [...payment.keys, sent.key],
    }));
  }

  /** Takes another card for a payment. @returns whether it could: one that was sent is known by its own */
  changeCard({ number, sends }: Payment, source: string): boolean {
    if (sends === 0) this.#change(number, (payment) => ({ ...payment, source }));
    return sends === 0;
  }

  settle({ number }: Payment): void {
    this.#change(number, (payment) => ({ ...payment, pending: false }));
  }

  clear(): void {
    this.#storage.removeItem(ITEM);
  }

  #change(number: number, change: (payment: Payment) => Payment): Payment | undefined {
    const payments = this.all().map((payment) => (payment.number === number ? change(payment) : payment));
    this.#keep(payments);
    return payments[number - 1];
  }

  #keep(payments: readonly Payment[]): void {
    this.#storage.setItem(ITEM, JSON.stringify(payments));
  }
}
