import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { localApiKey } from '../../lib/cli/local-seed.ts';
import type { LocalCloud } from '../../lib/local/start.ts';
import { boundedly } from '../../lib/queue/run-batch.ts';
import { sendable } from '../../lib/queue/send-message.ts';

interface Deposit {
  readonly eventId: string;
  readonly account: string;
  readonly amount: number;
}

interface Entry {
  readonly kind: string;
  readonly amount: number;
  readonly operation: string;
}

const CALLER = 'alice';
const ACCOUNTS = 20;
/** Without any progress. */
const PATIENCE = 60_000;
const MOST_TRIES = 20;
/** Of the sends; the others go to the queue directly, as another producer's would, or the door would be what is measured. */
const OVER_HTTP = 0.05;

/** What goes wrong, how often: together every tenth invocation is killed in the middle, and each twentieth goes unheard. */
const FAULTS = [
  { fault: 'crash-before=1', probability: 0.02 },
  { fault: 'crash-after=1', probability: 0.02 },
  { fault: 'crash-after=3', probability: 0.03 },
  { fault: 'crash-after=6', probability: 0.03 },
  { fault: 'lose-acknowledgement', probability: 0.05 },
];

/** Deposits that are sent too often to a consumer that keeps dying, and the count of what came of them. */
export class Storm {
  readonly #cloud: Pick<LocalCloud, 'url' | 'queues'>;
  readonly #size: number;
  readonly #draw: (done: number, label: string) => void;
  #sends = 0;
  #redriven = 0;

  constructor(cloud: Pick<LocalCloud, 'url' | 'queues'>, size: number, draw: (done: number, label: string) => void) {
    this.#cloud = cloud;
    this.#size = size;
    this.#draw = draw;
  }

  get counts() {
    return { deposits: this.#size, 'sends, 1 to 4 for each': this.#sends, 'dead letters sent back': this.#redriven };
  }

  /** @returns how many events and accounts came out wrong, by how: all 0 if nothing did */
  async rage() {
    const accounts: string[] = [];
    for (let count = 0; count < ACCOUNTS; count++) accounts.push(await this.#openAccount());
    const deposits = Array.from(
      { length: this.#size },
      (_, index): Deposit => ({
        eventId: `storm-${index}`,
        account: String(accounts[index % ACCOUNTS]),
        amount: 1 + (index % 97),
      }),
    );
    for (const fault of FAULTS) {
      await this.#call('POST', '/_local/faults', { function: 'DepositQueueConsumer', ...fault });
    }
    await this.#sendAll(deposits);
    await this.#untilEmpty();
    await this.#call('DELETE', '/_local/faults');
    // On a machine that is slow a message may be received too often; a person would send it back.
    while ((await this.#redrive()) > 0) await this.#untilEmpty();
    return this.#count(accounts, deposits);
  }

  async #openAccount(): Promise<string> {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const { id } = await this.#call('POST', '/accounts', { currency: 'EUR' }, headers);
    return String(id);
  }

  /** Each deposit 1 to 4 times, in no order; each send is a message with an id of its own. */
  async #sendAll(deposits: readonly Deposit[]): Promise<void> {
    const sends = deposits
      .flatMap((deposit, index) => Array.from({ length: 1 + (index % 4) }, () => deposit))
      .map((deposit) => ({ deposit, at: Math.random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ deposit }) => deposit);
    this.#sends = sends.length;
    const overHttp = Math.round(sends.length * OVER_HTTP);
    const batches = Map.groupBy(sends.slice(overHttp), (_, index) => Math.floor(index / 10));
    await boundedly(4, sends.slice(0, overHttp), async (deposit) => {
      await this.#call('POST', '/deposits', deposit);
    });
    await boundedly(2, [...batches.values()], (batch) => this.#sendBatch(batch));
  }

  async #sendBatch(deposits: readonly Deposit[]): Promise<void> {
    const entries = deposits.map((deposit, index) => ({
      Id: String(index),
      ...sendable({ body: { ...deposit, currency: 'EUR' }, eventId: deposit.eventId, source: CALLER }),
    }));
    const [queue] = this.#queues(false);
    await this.#cloud.queues?.client.send(new SendMessageBatchCommand({ QueueUrl: queue?.name, Entries: entries }));
  }

  #queues(dead: boolean) {
    const queues = this.#cloud.queues?.state() ?? [];
    return queues.filter(({ name }) => name.includes('DepositQueue') && name.includes('DeadLetters') === dead);
  }

  #messagesLeft(dead = false): number {
    return this.#queues(dead).reduce((sum, { visible, inFlight, delayed }) => sum + visible + inFlight + delayed, 0);
  }

  async #untilEmpty(): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    let since = Date.now();
    for (let left = this.#messagesLeft(); left > 0 && Date.now() < since + PATIENCE; left = this.#messagesLeft()) {
      if (left < least) since = Date.now();
      least = Math.min(least, left);
      this.#draw(0.99 * (1 - Math.min(1, left / this.#sends)), `${left} messages left`);
      await pause(1_000);
    }
  }

  /** Sends dead letters back as a redrive does: under new message ids. */
  async #redrive(): Promise<number> {
    const [[queue], [dead]] = [this.#queues(false), this.#queues(true)];
    const client = this.#cloud.queues?.client;
    const receive = { QueueUrl: dead?.name, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] };
    const { Messages = [] } = (await client?.send(new ReceiveMessageCommand(receive))) ?? {};
    for (const { Body, MessageAttributes = {}, ReceiptHandle } of Messages) {
      await client?.send(new SendMessageCommand({ QueueUrl: queue?.name, MessageBody: Body, MessageAttributes }));
      await client?.send(new DeleteMessageCommand({ QueueUrl: dead?.name, ReceiptHandle }));
    }
    this.#redriven += Messages.length;
    return Messages.length;
  }

  async #count(accounts: readonly string[], deposits: readonly Deposit[]) {
    const seen = new Map<string, number>();
    let unbalanced = 0;
    for (const account of accounts) {
      const { balance } = await this.#call('GET', `/accounts/${account}`);
      const entries = await this.#entries(account);
      for (const { operation } of entries) seen.set(operation, (seen.get(operation) ?? 0) + 1);
      const due = deposits
        .filter((deposit) => deposit.account === account)
        .reduce((sum, { amount }) => sum + amount, 0);
      const booked = entries.reduce((sum, { amount }) => sum + amount, 0);
      if (balance !== due || booked !== due) unbalanced++;
    }
    return {
      'events lost': deposits.filter(({ eventId }) => !seen.has(eventId)).length,
      'events credited more than once': [...seen.values()].filter((times) => times > 1).length,
      'accounts whose balance is wrong': unbalanced,
      'messages left in the queue': this.#messagesLeft(),
      'messages in the dead-letter queue': this.#messagesLeft(true),
    };
  }

  async #entries(account: string): Promise<readonly Entry[]> {
    const all: Entry[] = [];
    for (let after = ''; ; ) {
      const page = await this.#call('GET', `/accounts/${account}/entries?limit=100${after && `&after=${after}`}`);
      all.push(...(page.entries as Entry[]));
      if (page.next === undefined) return all;
      after = encodeURIComponent(String(page.next));
    }
  }

  /** Sends again what was not answered well, as every client of such a service does: a busy machine answers late. */
  async #call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const request = {
      method,
      headers: { authorization: `Bearer ${localApiKey(CALLER)}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    let response = await fetch(this.#cloud.url + path, request);
    for (let tries = 1; response.status >= 500 && tries < MOST_TRIES; tries++) {
      await pause(Math.min(3_000, 250 * tries));
      response = await fetch(this.#cloud.url + path, request);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  }
}
