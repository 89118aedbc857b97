import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { FauxqsServer } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sentAgain } from '../../lib/cli/redrive.ts';
import { LocalQueue, startQueues } from '../setup/local-queues.ts';
import { call } from './call.ts';

let server: FauxqsServer;
beforeAll(async () => {
  server = await startQueues();
});
afterAll(() => server.stop());

const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
const redrive = (queue: LocalQueue, ...more: string[]) =>
  call('queues', 'redrive', nameOf(queue.deadLetterQueueUrl), '--endpoint', server.address, ...more);
const received = async (queue: LocalQueue, url = queue.queueUrl) =>
  (await queue.receive(url)).map(({ Body, MessageAttributes = {} }) => ({
    body: Body,
    attributes: Object.fromEntries(Object.entries(MessageAttributes).map(([name, value]) => [name, value.StringValue])),
  }));

describe('semel queues redrive', () => {
  it('C47 sends dead letters back under their event ids, without what was said about them', async () => {
    const queue = new LocalQueue(server);
    const attributes = {
      'Semel-Event-Id': 'evt-1',
      'Semel-Reason': 'invalid-body',
      'Semel-Detail': 'd',
      other: 'kept',
    };
    await queue.send('parked', { attributes }, queue.deadLetterQueueUrl);
    const { code, printed, explained } = await redrive(queue, '--yes');
    expect({ code, printed }).toEqual({ code: 0, printed: '' });
    const [from, to] = [nameOf(queue.deadLetterQueueUrl), nameOf(queue.queueUrl)];
    expect(explained).toBe(`1 message in ${from} will be sent to ${to} (${server.address}).\n1 message sent to ${to}.`);
    expect(await received(queue)).toEqual([
      { body: 'parked', attributes: { 'Semel-Event-Id': 'evt-1', other: 'kept' } },
    ]);
    expect(await received(queue, queue.deadLetterQueueUrl)).toEqual([]);
  });

  it('C47 keeps the message id of an event that has no other', async () => {
    const queue = new LocalQueue(server);
    const send = new SendMessageCommand({ QueueUrl: queue.deadLetterQueueUrl, MessageBody: 'bare' });
    const { MessageId } = await queue.client.send(send);
    await redrive(queue, '--yes');
    expect(await received(queue)).toEqual([{ body: 'bare', attributes: { 'Semel-Event-Id': MessageId } }]);
  });

  it('keeps groups and their order on a FIFO queue', async () => {
    const queue = new LocalQueue(server, { fifo: true });
    for (const body of ['1', '2', '3']) await queue.send(body, { group: 'g' }, queue.deadLetterQueueUrl);
    expect((await redrive(queue, '--yes')).explained).toContain('3 messages sent to');
    const order: (string | undefined)[] = [];
    await queue.invoke(async ({ Records: [record] }) => {
      order.push(record?.body, record?.attributes.MessageGroupId);
      return { batchItemFailures: [] };
    });
    expect(order).toEqual(['1', 'g']);
  });

  it('leaves what is parked meanwhile', async () => {
    const queue = new LocalQueue(server);
    await queue.send('old', {}, queue.deadLetterQueueUrl);
    const { client } = queue;
    const parking = (async () => {
      // As soon as the old one is back, its consumer parks another.
      for (;;) {
        const { Messages } = await client.send(
          new ReceiveMessageCommand({ QueueUrl: queue.queueUrl, WaitTimeSeconds: 1 }),
        );
        if (Messages !== undefined) return queue.send('fresh', {}, queue.deadLetterQueueUrl);
      }
    })();
    expect((await redrive(queue, '--yes')).explained).toContain('1 message sent');
    await parking;
    expect(server.inspectQueue(nameOf(queue.deadLetterQueueUrl))?.attributes).toMatchObject({
      ApproximateNumberOfMessages: expect.stringMatching(/^[01]$/),
    });
    expect(queue.size).toBe(1);
  });

  it('asks first, and does nothing where nobody can answer', async () => {
    const queue = new LocalQueue(server);
    await queue.send('parked', {}, queue.deadLetterQueueUrl);
    const { code, explained } = await redrive(queue);
    expect(code).toBe(1);
    expect(explained).toMatch(/will be sent to .*\nNobody is here to be asked\. Add --yes to do it\.$/);
    expect(await received(queue, queue.deadLetterQueueUrl)).toHaveLength(1);
  });

  it('says that there is nothing to send', async () => {
    expect((await redrive(new LocalQueue(server), '--yes')).explained).toMatch(/^dead-\S+ is empty \(http/);
  });

  it('takes a part of a name that is no other queue’s, and names those that it could be', async () => {
    const queue = new LocalQueue(server);
    await queue.send('parked', {}, queue.deadLetterQueueUrl);
    const part = nameOf(queue.deadLetterQueueUrl).slice(2, -2).toUpperCase();
    const at = ['--endpoint', server.address];
    expect((await call('queues', 'redrive', part, '--yes', ...at)).explained).toContain('1 message sent');
    const ambiguous = await call('queues', 'redrive', 'dead-', '--yes', ...at);
    expect(ambiguous.code).toBe(1);
    expect(ambiguous.explained).toMatch(/^"dead-" could be: dead-\S+, dead-\S+/);
    const unknown = await call('queues', 'redrive', 'nothing', '--yes', ...at);
    expect(unknown.explained).toMatch(/^No queue is called "nothing"\. There are: /);
  });

  it('wants to know where to send what may come from anywhere', async () => {
    const queue = new LocalQueue(server);
    const other = new LocalQueue(server);
    await queue.send('parked', {}, queue.queueUrl);
    const here = ['queues', 'redrive', nameOf(queue.queueUrl), '--yes', '--endpoint', server.address];
    expect((await call(...here)).explained).toMatch(
      /is the dead-letter queue of no queue\. Say where to send with --to\.$/,
    );
    expect((await call(...here, '--to', nameOf(other.queueUrl))).code).toBe(0);
    expect(await received(other)).toHaveLength(1);
  });
});

describe('semel queues redrive without a local cloud', () => {
  it('says so, before AWS answers that it does not know who asks', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    const { code, explained } = await call('queues', 'redrive', 'letters', '--yes');
    expect(code).toBe(1);
    expect(explained).toBe(
      'No local cloud runs from this checkout (npm start), so queues of AWS are meant.\nThe AWS region is not known. Set AWS_REGION.',
    );
  });
});

describe('sentAgain', () => {
  it('R26 attaches an id, which the last attribute by name gives way to', () => {
    const MessageAttributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`a${index}`, { DataType: 'String', StringValue: 'x' }]),
    );
    const { a9: _, ...others } = MessageAttributes;
    const again = sentAgain({ MessageId: 'm', Body: 'b', MessageAttributes });
    expect(again.MessageAttributes).toEqual({
      ...others,
      'Semel-Event-Id': { DataType: 'String', StringValue: 'm' },
    });
  });

  it('R26 attaches no id where the message leaves no room for it', () => {
    expect(sentAgain({ MessageId: 'm', Body: 'x'.repeat(1_048_576) }).MessageAttributes).toEqual({});
  });
});
