import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { localApiKey } from '../../lib/cli/local-seed.ts';

/** A charge that somebody wants, under one key. */
export interface Sale {
  readonly key: string;
  readonly amount: number;
  /** Known from the first answer on. */
  operation?: string | undefined;
  answer?: { readonly status: number; readonly text: string };
}

const ACCOUNT = 'acct_alice';

/** Sends a charge until it is answered finally, or until the answer says that only a person can help. */
export class Shoppers {
  readonly sales: Sale[] = [];
  readonly #url: string;
  readonly #pending = new Set<Promise<void>>();
  unavailable = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** One more, every so often, whatever becomes of those before it. */
  async shop(perSecond: number, forMilliseconds: number): Promise<void> {
    for (const until = Date.now() + forMilliseconds; Date.now() < until; await pause(1_000 / perSecond)) {
      const sale: Sale = { key: randomUUID(), amount: 1 + Math.floor(Math.random() * 500) };
      this.sales.push(sale);
      const insisting = this.insist(sale).finally(() => this.#pending.delete(insisting));
      this.#pending.add(insisting);
    }
  }

  /** Until nobody waits for an answer any more. */
  async served(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async insist(sale: Sale): Promise<void> {
    for (;;) {
      const response = await this.#send(sale);
      const text = await response.text();
      sale.operation = response.headers.get('operation-id') ?? sale.operation;
      if (response.status < 500 && response.status !== 409) {
        sale.answer = { status: response.status, text };
        return;
      }
      if (response.status >= 500) this.unavailable++;
      const retryAfter = response.headers.get('retry-after');
      if (retryAfter === null) return;
      await pause(Number(retryAfter) * 1_000 * (1 + Math.random()));
    }
  }

  #send({ key, amount }: Sale): Promise<Response> {
    return fetch(`${this.#url}/charges`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${localApiKey('alice')}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ account: ACCOUNT, amount, source: 'tok_ok' }),
    });
  }

  /** What the account holds, by its own word. */
  async balance(): Promise<number> {
    const headers = { authorization: `Bearer ${localApiKey('alice')}` };
    const response = await fetch(`${this.#url}/accounts/${ACCOUNT}`, { headers });
    return ((await response.json()) as { balance: number }).balance;
  }
}
