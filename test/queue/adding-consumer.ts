import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import * as z from 'zod';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import type { MessagePlan } from '../../lib/protocol/message.ts';
import { type OnceConsumer, onceConsumer } from '../../lib/queue/once-consumer.ts';
import type { Store } from '../../lib/store/store.ts';
import { lambdaContext } from '../setup/http-event.ts';
import { queueEvent, RecordingQueue, type TestMessage } from '../setup/queue-event.ts';

const Body = z.object({ name: z.string(), add: z.int() });
export type Body = z.infer<typeof Body>;
export type Run = OnceConsumer<Body>['run'];

/** A consumer of its own name that adds to totals: an event that is applied twice shows. */
export class AddingConsumer {
  readonly queue = new RecordingQueue();
  readonly consumer: string = crypto.randomUUID();
  readonly count = vi.fn<Engine['count']>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What was counted; how often the store was tried again depends on the machine. */
  get counted(): readonly string[] {
    return this.count.mock.calls.flatMap(([counter]) => (counter.startsWith('retried') ? [] : [counter]));
  }

  key(name: string) {
    return { pk: `${this.consumer}#${name}`, sk: 'total' };
  }

  add({ name, add }: Body): MessagePlan {
    const values = { ':n': add };
    return {
      effects: [
        { Update: { Key: this.key(name), UpdateExpression: 'ADD amount :n', ExpressionAttributeValues: values } },
      ],
    };
  }

  deliver(messages: readonly TestMessage[], options: Partial<OnceConsumer<Body>> & { remaining?: number } = {}) {
    const { remaining = 10_000, ...more } = options;
    const engine = createEngine({ store: this.#store, count: this.count });
    const { consumer, queue } = this;
    const run: Run = ({ body }) => this.add(body);
    const handler = onceConsumer<Body>({ consumer, body: Body, engine, queue, run, ...more });
    return handler(queueEvent(...messages), lambdaContext(remaining));
  }

  async total(name: string): Promise<number> {
    const get = new GetCommand({ TableName: this.#store.dataTable, Key: this.key(name), ConsistentRead: true });
    return (await this.#store.client.send(get)).Item?.amount ?? 0;
  }

  async markers(): Promise<readonly Record<string, unknown>[]> {
    const scan = new ScanCommand({ TableName: this.#store.table, ConsistentRead: true });
    const { Items = [] } = await this.#store.client.send(scan);
    return Items.filter(({ pk }) => String(pk).startsWith(`msg#${this.consumer}#`));
  }
}

export const attached = (eventId: string, source = 'alice') => ({
  'Semel-Event-Id': eventId,
  'Semel-Source': source,
});

export const message = (id: string, body: Partial<Body> = {}, more: Partial<TestMessage> = {}): TestMessage => ({
  id,
  body: { name: 'n', add: 1, ...body },
  ...more,
});
