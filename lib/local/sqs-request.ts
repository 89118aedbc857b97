import type { Permission } from './dynamodb-request.ts';

/** A request to SQS, as far as permissions, faults and counting need it. */
export interface SqsRequest {
  readonly service: 'sqs';
  readonly action: string;
  /** The queue's name. */
  readonly queue: string;
  readonly permissions: readonly Permission[];
  /** How many messages it names; undefined where the answer decides. */
  readonly items: number | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** The actions that are run here, by what allows them: a batch has no permission of its own. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  ChangeMessageVisibility: 'ChangeMessageVisibility',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  DeleteMessage: 'DeleteMessage',
  DeleteMessageBatch: 'DeleteMessage',
  GetQueueAttributes: 'GetQueueAttributes',
  GetQueueUrl: 'GetQueueUrl',
  ReceiveMessage: 'ReceiveMessage',
  SendMessage: 'SendMessage',
  SendMessageBatch: 'SendMessage',
};

/**
 * Reads a request to SQS. `arnOf` gives a queue's ARN.
 * @returns undefined for what functions have no business to do: making, purging and listing queues
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 * @example readSqsRequest('SendMessageBatch', { QueueUrl: 'http://127.0.0.1:9/1/q', Entries: [{}, {}] }, (queue) => `arn:${queue}`)
 * // { service: 'sqs', action: 'SendMessageBatch', queue: 'q', permissions: [{ action: 'sqs:SendMessage', resource: 'arn:q' }], items: 2 }
 */
export function readSqsRequest(action: string, body: Body, arnOf: (queue: string) => string): SqsRequest | undefined {
  const permission = PERMISSIONS[action];
  const queue = String(body.QueueName ?? body.QueueUrl ?? '').replace(/^.*\//, '');
  if (permission === undefined || queue === '') return undefined;
  return {
    service: 'sqs',
    action,
    queue,
    permissions: [{ action: `sqs:${permission}`, resource: arnOf(queue) }],
    items: itemsOf(action, body),
  };
}

function itemsOf(action: string, { Entries: entries }: Body): number | undefined {
  if (action === 'ReceiveMessage') return undefined;
  if (action.startsWith('GetQueue')) return 0;
  return Array.isArray(entries) ? entries.length : 1;
}
