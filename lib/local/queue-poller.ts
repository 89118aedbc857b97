import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Invoke } from './background.ts';
import { failuresOf } from './batch-failures.ts';
import type { QueueSource } from './event-sources.ts';
import { Pause } from './pause.ts';
import { hiddenFor, type RunningQueues } from './queues.ts';
import { sqsEvent, sqsRecord } from './sqs-event.ts';

interface PollerSettings {
  readonly source: QueueSource;
  readonly queues: RunningQueues;
  readonly invoke: Invoke;
  /** For how many seconds the queue hides what was received. */
  readonly visibility: number;
  /** After how many milliseconds a message that was not handled is delivered again; undefined: when SQS would. */
  readonly redeliverAfter: number | undefined;
  readonly log: (line: string) => void;
}

/** A message and until when it is hidden, in milliseconds since 1970, unless somebody changes that. */
interface Received {
  readonly message: Message;
  readonly hiddenUntil: number;
}

/** The most that SQS gives, and deletes, at a time. */
const MOST_AT_ONCE = 10;
/** Seconds. A receive that waits costs nothing here, and stopping cuts it short. */
const LONGEST_WAIT = 20;
/** How many batches a queue's function gets at once where the stack does not say. */
const USUAL_CONCURRENCY = 10;
/** What the answer of a receive may take, in milliseconds. */
const TOLERANCE = 1_000;

/** Brings a queue's messages to its function and deletes those that it has handled, as Lambda does. */
export class QueuePoller {
  readonly #settings: PollerSettings;
  readonly #pause = new Pause();
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #most: number;

  constructor(settings: PollerSettings) {
    this.#settings = settings;
    this.#most = settings.source.maxConcurrency ?? USUAL_CONCURRENCY;
    void this.#poll();
  }

  /** Begins no more batches and resolves once none is at work; what was received is forgotten. */
  async pause(): Promise<void> {
    this.#pause.begin();
    await Promise.all(this.#running);
  }

  async resume(): Promise<void> {
    this.#pause.end();
  }

  /** Receives no more, and leaves what is being handled to itself: it is not acknowledged. */
  stop(): void {
    this.#stopped.abort();
    this.#pause.end();
  }

  async #poll(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      if (this.#running.size >= this.#most) {
        await Promise.race(this.#running);
        continue;
      }
      const batch = await this.#gather();
      const wasPaused = this.#pause.isOn;
      await this.#pause.over();
      if (batch.length === 0 || wasPaused) continue;
      const handled = this.#guarded(() => this.#handle(batch), undefined);
      this.#running.add(handled);
      void handled.finally(() => this.#running.delete(handled));
    }
  }

  /** The first messages, and those that come within the batching window. */
  async #gather(): Promise<Received[]> {
    const { batchSize, window } = this.#settings.source;
    const batch = await this.#receive(Math.min(batchSize, MOST_AT_ONCE), LONGEST_WAIT);
    const until = Date.now() + window;
    while (batch.length > 0 && batch.length < batchSize && Date.now() < until) {
      const wait = Math.ceil((until - Date.now()) / 1000);
      batch.push(...(await this.#receive(Math.min(batchSize - batch.length, MOST_AT_ONCE), wait)));
    }
    return batch;
  }

  async #receive(most: number, waitSeconds: number): Promise<Received[]> {
    const { source, queues, visibility } = this.#settings;
    const receive = new ReceiveMessageCommand({
      QueueUrl: source.queue,
      MaxNumberOfMessages: most,
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    });
    const abortSignal = this.#stopped.signal;
    const found = await this.#guarded(() => queues.client.send(receive, { abortSignal }), undefined);
    const hiddenUntil = Date.now() + visibility * 1000;
    return (found?.Messages ?? []).map((message) => ({ message, hiddenUntil }));
  }

  /** What fails once it is stopped fails because it is; what fails before leaves its messages to be delivered again. */
  async #guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#settings.log(`${this.#settings.source.name}: ${error}`);
      return otherwise;
    }
  }

  async #handle(received: readonly Received[]): Promise<void> {
    const { source, invoke } = this.#settings;
    const [wanted, unwanted] = this.#filter(received);
    await this.#delete(unwanted);
    if (wanted.length === 0) return;
    const messages = wanted.map(({ message }) => message);
    const { outcome, losesAcknowledgement } = await invoke(
      source.functionArn,
      JSON.stringify(sqsEvent(messages, source.sourceArn)),
    );
    if (this.#stopped.signal.aborted) return;
    const ids = messages.map(({ MessageId = '' }) => MessageId);
    const failed = losesAcknowledgement ? 'all' : failuresOf(outcome, ids, source.reportsFailures);
    const isFailed = ({ message }: Received) => failed === 'all' || failed.has(message.MessageId ?? '');
    await this.#delete(wanted.filter((entry) => !isFailed(entry)));
    await this.#redeliver(wanted.filter(isFailed));
  }

  /** What no filter lets through is deleted unseen. */
  #filter(received: readonly Received[]): [wanted: Received[], unwanted: Received[]] {
    const { filter, sourceArn } = this.#settings.source;
    const passes = ({ message }: Received): boolean => filter(sqsRecord(message, sourceArn));
    return [received.filter(passes), received.filter((entry) => !passes(entry))];
  }

  async #delete(received: readonly Received[]): Promise<void> {
    const { source, queues } = this.#settings;
    for (let start = 0; start < received.length; start += MOST_AT_ONCE) {
      const Entries = received.slice(start, start + MOST_AT_ONCE).map(({ message }, index) => ({
        Id: String(index),
        ReceiptHandle: message.ReceiptHandle,
      }));
      await queues.client.send(new DeleteMessageBatchCommand({ QueueUrl: source.queue, Entries }));
    }
  }

  /** A queue hides messages for minutes in case their function still runs; here it is known that it does not. */
  async #redeliver(received: readonly Received[]): Promise<void> {
    const { source, queues, redeliverAfter } = this.#settings;
    if (redeliverAfter === undefined) return;
    for (const { message } of received.filter((entry) => this.#isHiddenAsReceived(entry))) {
      await queues.client.send(hiddenFor(source.queue, message.ReceiptHandle, redeliverAfter));
    }
  }

  /** Where the function itself has chosen for how long, that stays. */
  #isHiddenAsReceived({ message, hiddenUntil }: Received): boolean {
    const { source, queues } = this.#settings;
    const found = queues.contents(source.queue).inflight.find((entry) => entry.receiptHandle === message.ReceiptHandle);
    return found !== undefined && Math.abs(found.visibilityDeadline - hiddenUntil) < TOLERANCE;
  }
}
