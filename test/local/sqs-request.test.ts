import { describe, expect, it } from 'vitest';
import { readSqsRequest } from '../../lib/local/sqs-request.ts';

const QueueUrl = 'http://127.0.0.1:9/000000000000/q.fifo';
const read = (action: string, body: Record<string, unknown>) =>
  readSqsRequest(action, body, (queue) => `arn:aws:sqs:us-east-1:000000000000:${queue}`);
const Entries = [{ Id: '1' }, { Id: '2' }];

describe('readSqsRequest', () => {
  it.each<[string, Record<string, unknown>, string, number | undefined]>([
    ['SendMessage', { QueueUrl, MessageBody: 'x' }, 'sqs:SendMessage', 1],
    ['SendMessageBatch', { QueueUrl, Entries }, 'sqs:SendMessage', 2],
    ['ReceiveMessage', { QueueUrl }, 'sqs:ReceiveMessage', undefined],
    ['DeleteMessage', { QueueUrl }, 'sqs:DeleteMessage', 1],
    ['DeleteMessageBatch', { QueueUrl, Entries }, 'sqs:DeleteMessage', 2],
    ['ChangeMessageVisibility', { QueueUrl }, 'sqs:ChangeMessageVisibility', 1],
    ['ChangeMessageVisibilityBatch', { QueueUrl, Entries }, 'sqs:ChangeMessageVisibility', 2],
    ['GetQueueAttributes', { QueueUrl }, 'sqs:GetQueueAttributes', 0],
    ['GetQueueUrl', { QueueName: 'q.fifo' }, 'sqs:GetQueueUrl', 0],
  ])('asks for %s as AWS does', (action, body, permission, items) => {
    expect(read(action, body)).toEqual({
      service: 'sqs',
      action,
      queue: 'q.fifo',
      permissions: [{ action: permission, resource: 'arn:aws:sqs:us-east-1:000000000000:q.fifo' }],
      items,
    });
  });

  it.each([
    ['PurgeQueue', { QueueUrl }],
    ['CreateQueue', { QueueName: 'q' }],
    ['ListQueues', {}],
    ['SendMessage', { MessageBody: 'x' }],
  ])('does not run %s', (action, body) => {
    expect(read(action, body)).toBeUndefined();
  });
});
