import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { RecordedCall } from '../../lib/local/call-log.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../../lib/local/start.ts';
import type { TemplateResource } from '../../lib/local/template.ts';
import type { Order } from './queue-function.ts';
import { queueTemplate } from './queue-stack.ts';
import { writeAssembly } from './tiny-stack.ts';

/** What the consumer wrote of one delivery. */
interface Delivery {
  /** The order's id and the receive count. */
  readonly pk: string;
  readonly begun: number;
  readonly ended: number;
  readonly batch: number;
  readonly record: string;
}

interface State {
  readonly entries: readonly Delivery[];
  readonly queues: readonly { readonly name: string; readonly visible: number; readonly inFlight: number }[];
  readonly deadLetters: readonly { readonly queue: string; readonly eventId: string; readonly reason: string }[];
}

interface Sending {
  readonly group?: string;
  readonly deduplicationId?: string;
  readonly attributes?: Record<string, string>;
}

/** Runs a stack with queues in a local cloud while the tests of a file run. */
export function useQueueCloud(queues: Record<string, TemplateResource>, options: Partial<LocalCloudOptions> = {}) {
  let cloud: LocalCloud;
  let removeAssembly = () => {};
  const printed: string[] = [];
  let urls: Record<string, string> = {};

  beforeAll(async () => {
    const assembly = await writeAssembly(queueTemplate(queues), './queue-function.ts');
    removeAssembly = assembly.remove;
    cloud = await startLocalCloud({
      assembly: assembly.directory,
      port: 0,
      dynamodbEndpoint: inject('dynamodb'),
      redeliverAfter: 100,
      log: (line) => printed.push(line),
      ...options,
    });
    urls = (await (await post('/environment')).json()) as Record<string, string>;
  });
  afterAll(async () => {
    await cloud.stop();
    removeAssembly();
  });

  const post = (path: string, body: unknown = {}) =>
    fetch(cloud.url + path, { method: 'POST', body: JSON.stringify(body) });
  const json = async <T>(path: string): Promise<T> => (await (await fetch(cloud.url + path)).json()) as T;
  const urlOf = (queue: string): string => urls[`URL_${queue}`] ?? '';
  const nameOf = (queue: string): string => urlOf(queue).replace(/^.*\//, '');
  const state = () => json<State>('/_local/state');

  return {
    cloud: () => cloud,
    printed,
    post,
    urlOf,
    nameOf,
    state,
    send: async (queue: string, body: Order | string, how?: Sending) => {
      const answer = await post('/send', sending(urlOf(queue), body, how));
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { MessageId: string }).MessageId;
    },
    /** The deliveries of these orders, in the order in which they began. */
    deliveries: async (...ids: string[]) => {
      const { entries } = await state();
      return entries
        .filter(({ pk }) => ids.includes(pk.split(' ')[0] ?? ''))
        .sort((left, right) => left.begun - right.begun);
    },
    deadIn: async (queue: string) =>
      (await state()).deadLetters.filter((dead) => dead.queue === nameOf(`${queue}Dead`)),
    callsOf: async (answer: Response) =>
      (await json<{ calls: RecordedCall[] }>(`/_local/calls?request=${answer.headers.get('apigw-requestid')}`)).calls,
  };
}

const sending = (
  QueueUrl: string,
  body: Order | string,
  { group, deduplicationId, attributes = {} }: Sending = {},
) => ({
  QueueUrl,
  MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
  ...(group !== undefined && { MessageGroupId: group }),
  ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  MessageAttributes: Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  ),
});
