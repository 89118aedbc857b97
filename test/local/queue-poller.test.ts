import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Invoke } from '../../lib/local/background.ts';
import type { QueueSource } from '../../lib/local/event-sources.ts';
import { QueuePoller } from '../../lib/local/queue-poller.ts';
import { type RunningQueues, startQueues } from '../../lib/local/queues.ts';

/** A queue for each test: what an earlier one still waits for must not be received by it. */
const definitions = Array.from({ length: 9 }, (_, index) => ({
  ...{ name: `polled-${index}`, arn: `arn:aws:sqs:us-east-1:000000000000:polled-${index}` },
  ...{ fifo: false, deadLetterArn: undefined, visibility: 600, attributes: { VisibilityTimeout: '600' } },
}));
let next = 0;
let queue = '';
let queues: RunningQueues;
beforeAll(async () => {
  const started = await startQueues(definitions, { region: 'us-east-1' });
  if (started === undefined) throw new Error('no queues');
  queues = started;
});
afterAll(() => queues.stop());
beforeEach(() => {
  queue = definitions[next++]?.name ?? '';
});

const sourceOf = (): QueueSource => ({
  ...{ kind: 'queue', name: 'Mapping', sourceArn: `arn:aws:sqs:us-east-1:000000000000:${queue}`, queue },
  ...{ functionArn: 'arn:function', batchSize: 10, window: 0, filter: () => true },
  ...{ reportsFailures: true, maxConcurrency: undefined },
});

type BackgroundRun = Awaited<ReturnType<Invoke>>;

const pollers: QueuePoller[] = [];
afterEach(() => {
  for (const poller of pollers.splice(0)) poller.stop();
});

const returned = (payload: unknown = null): BackgroundRun => ({
  outcome: { kind: 'returned', payload: JSON.stringify(payload) },
  losesAcknowledgement: false,
});

/** A poller whose function is played by the test: each batch waits until it is let go. */
function poll(change: Partial<QueueSource> = {}, redeliverAfter: number | false = 50) {
  const batches: { readonly bodies: readonly string[]; readonly letGo: (run?: BackgroundRun) => void }[] = [];
  const printed: string[] = [];
  const poller = new QueuePoller({
    ...{
      queues,
      visibility: 600,
      redeliverAfter: redeliverAfter || undefined,
      log: (line) => printed.push(line),
    },
    source: { ...sourceOf(), ...change },
    invoke: (_, event) =>
      new Promise((letGo) => {
        const bodies = (JSON.parse(event) as SQSEvent).Records.map(({ body }) => body);
        batches.push({ bodies, letGo: (run = returned()) => letGo(run) });
      }),
  });
  pollers.push(poller);
  return { poller, batches, printed };
}

async function send(...bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await queues.client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }));
  }
}
const left = () => {
  const { ready, inflight } = queues.contents(queue);
  return { visible: ready.length, inFlight: inflight.length };
};
/** A busy machine needs longer than a moment. */
const SOON = { timeout: 10_000 };
const aWhile = () => new Promise((done) => setTimeout(done, 250));

describe('QueuePoller', () => {
  it('has at most as many batches handled at once as it may', async () => {
    const { batches } = poll({ batchSize: 1, maxConcurrency: 2 });
    await send('a', 'b', 'c');
    await vi.waitUntil(() => batches.length >= 2, SOON);
    await aWhile();
    expect(batches.map(({ bodies }) => bodies)).toEqual([['a'], ['b']]);
    batches[0]?.letGo();
    await vi.waitUntil(() => batches.length === 3, SOON);
  });

  it('gathers more than SQS gives at a time, within its window', async () => {
    const { batches } = poll({ batchSize: 25, window: 1_000 });
    const bodies = Array.from({ length: 25 }, (_, index) => String(index));
    await send(...bodies);
    await vi.waitUntil(() => batches.length > 0, SOON);
    expect(batches[0]?.bodies).toEqual(bodies);
    batches[0]?.letGo();
    await expect.poll(left).toEqual({ visible: 0, inFlight: 0 });
  });

  it('deletes what was handled, and brings back what was not', async () => {
    const { batches } = poll();
    await send('a', 'b');
    await vi.waitUntil(() => batches.length === 1, SOON);
    batches[0]?.letGo({ outcome: { kind: 'crashed' }, losesAcknowledgement: false });
    await vi.waitUntil(() => batches.length >= 2, SOON);
    await expect
      .poll(() =>
        batches
          .slice(1)
          .flatMap(({ bodies }) => bodies)
          .sort(),
      )
      .toEqual(['a', 'b']);
    for (const { letGo } of batches.slice(1)) letGo();
    await expect.poll(left).toEqual({ visible: 0, inFlight: 0 });
  });

  it('leaves redelivery to the queue, where it is told to', async () => {
    const { batches } = poll({}, false);
    await send('a');
    await vi.waitUntil(() => batches.length === 1, SOON);
    batches[0]?.letGo({ outcome: { kind: 'crashed' }, losesAcknowledgement: false });
    await aWhile();
    expect(queues.contents(queue).inflight[0]?.visibilityDeadline).toBeGreaterThan(Date.now() + 500_000);
  });

  it('acknowledges nothing that the queue is not to learn of', async () => {
    const { batches } = poll();
    await send('a');
    await vi.waitUntil(() => batches.length === 1, SOON);
    batches[0]?.letGo({ ...returned(), losesAcknowledgement: true });
    await vi.waitUntil(() => batches.length === 2, SOON);
    expect(batches[1]?.bodies).toEqual(['a']);
  });

  it('begins nothing while it is paused, and waits for what is being handled', async () => {
    const { poller, batches } = poll();
    await send('before');
    await vi.waitUntil(() => batches.length === 1, SOON);
    const order: string[] = [];
    const paused = poller.pause().then(() => order.push('paused'));
    await aWhile();
    order.push('let go');
    batches[0]?.letGo();
    await paused;
    expect(order).toEqual(['let go', 'paused']);
    await send('during');
    await aWhile();
    expect(batches).toHaveLength(1);
    queues.reset();
    await poller.resume();
    await send('after');
    await vi.waitUntil(() => batches.length === 2, SOON);
    expect(batches[1]?.bodies).toEqual(['after']);
  });

  it('acknowledges nothing once it is stopped, and keeps quiet about it', async () => {
    const { poller, batches, printed } = poll();
    await send('a');
    await vi.waitUntil(() => batches.length === 1, SOON);
    poller.stop();
    batches[0]?.letGo();
    await aWhile();
    expect(left()).toEqual({ visible: 0, inFlight: 1 });
    expect(printed).toEqual([]);
  });

  it('says what kept it from handling a batch', async () => {
    const { batches, printed } = poll();
    await send('a');
    await vi.waitUntil(() => batches.length === 1, SOON);
    batches[0]?.letGo({ outcome: { kind: 'returned', payload: 'no JSON' }, losesAcknowledgement: false });
    await expect.poll(() => printed.join()).toMatch(/^Mapping: SyntaxError/);
  });
});
