import { createInOrderSender, type InOrderSender } from '../client/in-order-sender.ts';
import { createRetryingFetch, type RetryingFetch } from '../client/retrying-fetch.ts';
import type { SenderView } from './explain-delivery.ts';
import { asCaller } from './local-caller.ts';
import { askFor, type CloudState } from './local-cloud.ts';
import type { Page } from './page.ts';

const SENDER = 'sandbox';
const URL = `/senders/${SENDER}`;
/** What each message adds. */
const DELTA = 10;

/** The sender of numbered messages, on a way that loses some when it is asked to. */
export class NumberedSender {
  readonly #page: Page;
  readonly #fetch: RetryingFetch;
  #sender: InOrderSender;
  #losesNext = false;
  #posted: number[] = [];

  constructor(page: Page) {
    this.#page = page;
    this.#fetch = createRetryingFetch({ storage: page.storage });
    this.#sender = this.#newSender();
  }

  /** @returns the number of the message */
  send(): Promise<number> {
    return this.#sender.send({ delta: DELTA });
  }

  /** Sends a message that never arrives, as if a queue had lost it. */
  async sendIntoTheVoid(): Promise<number> {
    this.#losesNext = true;
    try {
      return await this.send();
    } finally {
      this.#losesNext = false;
    }
  }

  /** @returns how many messages the receiver has not applied, and the numbers that were sent again */
  async resume(): Promise<{ readonly left: number; readonly resent: readonly number[] }> {
    this.#posted = [];
    const left = await this.#sender.resume();
    return { left, resent: this.#posted };
  }

  /** The numbers that came too early and lie in the dead-letter queue. */
  parkedAmong({ deadLetters }: CloudState): readonly number[] {
    const own = deadLetters.filter(({ eventId, reason }) => reason === 'gap' && eventId.startsWith(`${SENDER}:`));
    return own.map(({ eventId }) => Number(eventId.slice(SENDER.length + 1)));
  }

  /** @throws CloudError when the receiver does not say anything about it */
  look(): Promise<SenderView> {
    return askFor(URL, asCaller());
  }

  /** Begins anew, as the receiver did. */
  forget(): void {
    this.#page.storage.removeItem(`semel:sender:${URL}`);
    this.#sender = this.#newSender();
  }

  #newSender(): InOrderSender {
    const signal = this.#page.wiping();
    return createInOrderSender({
      url: URL,
      storage: this.#page.storage,
      fetch: (input, init) => {
        if (init?.method === 'POST' && this.#losesNext) {
          this.#losesNext = false;
          return Promise.resolve(new Response(null, { status: 202 }));
        }
        if (init?.method === 'POST') this.#posted.push(JSON.parse(String(init.body)).seq);
        const headers = asCaller(Object.fromEntries(new Headers(init?.headers)));
        return this.#fetch(input, { ...init, headers, signal });
      },
    });
  }
}
