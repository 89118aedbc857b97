import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Invoke } from './background.ts';
import { failuresOf } from './batch-failures.ts';
import type { StreamSource } from './event-sources.ts';
import { failureRecord } from './failure-record.ts';
import { Pause } from './pause.ts';
import type { RunningQueues } from './queues.ts';
import type { TableStream } from './table-stream.ts';

interface PollerSettings {
  readonly source: StreamSource;
  readonly stream: TableStream;
  /** Where batches that are given up are reported. */
  readonly queues: RunningQueues | undefined;
  readonly invoke: Invoke;
  /** After how many milliseconds a failed batch is tried again. */
  readonly retryAfter: number;
  readonly log: (line: string) => void;
}

/** Lambda looks at each shard four times a second. Milliseconds. */
const PAUSE_BETWEEN_LOOKS = 250;

/**
 * Brings what changes in a table to its function, in order: a batch that fails holds up the ones behind it until it
 * succeeds or is given up.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export class StreamPoller {
  readonly #settings: PollerSettings;
  readonly #pause = new Pause();
  readonly #stopped = new AbortController();
  #look: Promise<number> = Promise.resolve(0);

  constructor(settings: PollerSettings) {
    this.#settings = settings;
    void this.#poll();
  }

  /** Begins no more batches and resolves once none is at work; a batch that failed is forgotten. */
  async pause(): Promise<void> {
    this.#pause.begin();
    await this.#look;
  }

  /** Goes on with what changes from now on. */
  async resume(): Promise<void> {
    await this.#settings.stream.skipToLatest();
    this.#pause.end();
  }

  stop(): void {
    this.#stopped.abort();
    this.#pause.end();
  }

  async #poll(): Promise<void> {
    while (!this.#isStopped) {
      this.#look = this.#lookOnce();
      if ((await this.#look) === 0) await this.#wait(PAUSE_BETWEEN_LOOKS);
      await this.#pause.over();
    }
  }

  async #lookOnce(): Promise<number> {
    try {
      return await this.#deliverNext();
    } catch (error) {
      if (!this.#isEnding) this.#settings.log(`${this.#settings.source.name}: ${error}`);
      return 0;
    }
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  get #isEnding(): boolean {
    return this.#isStopped || this.#pause.isOn;
  }

  async #wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => {});
  }

  /** How many records there were, wanted or not. */
  async #deliverNext(): Promise<number> {
    const { filter, sourceArn } = this.#settings.source;
    const records = await this.#gather();
    const complete = records.map((record) => ({
      ...record,
      awsRegion: regionOf(sourceArn),
      eventSourceARN: sourceArn,
    }));
    await this.#deliver(complete.filter(filter), 0);
    return records.length;
  }

  /** The next records, and those that come within the batching window. */
  async #gather(): Promise<DynamoDBRecord[]> {
    const { stream, source } = this.#settings;
    const records = [...(await stream.read(source.batchSize))];
    const until = Date.now() + source.window;
    while (records.length > 0 && records.length < source.batchSize && Date.now() < until && !this.#isEnding) {
      await this.#wait(Math.min(PAUSE_BETWEEN_LOOKS, until - Date.now()));
      records.push(...(await stream.read(source.batchSize - records.length)));
    }
    return records;
  }

  /** Tries until everything is handled or given up. */
  async #deliver(batch: readonly DynamoDBRecord[], retriesBefore: number): Promise<void> {
    const { source, retryAfter } = this.#settings;
    let open = batch;
    for (let retries = retriesBefore; open.length > 0 && !this.#isEnding; retries++) {
      const left = await this.#try(open);
      if (left.length === 0 || this.#isEnding) return;
      if (retries >= source.maxRetries) return this.#giveUp(left, retries + 1);
      await this.#wait(retryAfter);
      if (source.bisects && left.length === open.length && left.length > 1) return this.#halve(left, retries);
      open = left;
    }
  }

  /** Costs no retry: it only finds out which half cannot be handled. */
  async #halve(batch: readonly DynamoDBRecord[], retries: number): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#deliver(batch.slice(0, middle), retries);
    await this.#deliver(batch.slice(middle), retries);
  }

  /** What is left: from the first record on that failed, since those behind it must not pass it. */
  async #try(batch: readonly DynamoDBRecord[]): Promise<readonly DynamoDBRecord[]> {
    const { source, invoke } = this.#settings;
    const ids = batch.map(sequenceNumberOf);
    const { outcome, losesAcknowledgement } = await invoke(source.functionArn, JSON.stringify({ Records: batch }));
    const failed = losesAcknowledgement ? 'all' : failuresOf(outcome, ids, source.reportsFailures);
    if (failed === 'all') return batch;
    const first = ids.findIndex((id) => failed.has(id));
    return first === -1 ? [] : batch.slice(first);
  }

  async #giveUp(batch: readonly DynamoDBRecord[], invocations: number): Promise<void> {
    const { source, queues, log } = this.#settings;
    log(`${source.name}: gave up ${batch.length} records after ${invocations} invocations`);
    if (source.failureQueue === undefined) return;
    const MessageBody = JSON.stringify(failureRecord(source, batch.map(sequenceNumberOf), invocations, new Date()));
    await queues?.client.send(new SendMessageCommand({ QueueUrl: source.failureQueue, MessageBody }));
  }
}

const sequenceNumberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';

const regionOf = (arn: string): string => arn.split(':')[3] ?? '';
