import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { type QueueDefinition, startQueues } from '../../lib/local/queues.ts';
import { startLocalCloud } from '../../lib/local/start.ts';
import type { TemplateResource } from '../../lib/local/template.ts';
import { allow, consumedQueue, queueTemplate, resource, streamConsumer } from './queue-stack.ts';
import { writeAssembly } from './tiny-stack.ts';

type Resources = Record<string, TemplateResource>;

const assemblies: { remove: () => void }[] = [];
const directory = mkdtempSync(join(tmpdir(), 'semel-queues-'));
afterAll(() => {
  for (const { remove } of assemblies) remove();
  rmSync(directory, { recursive: true, force: true });
});

async function start(resources: Resources) {
  const assembly = await writeAssembly(queueTemplate(resources), './queue-function.ts');
  assemblies.push(assembly);
  return startLocalCloud({ assembly: assembly.directory, port: 0, dynamodbEndpoint: inject('dynamodb') });
}

const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
/** A consumed queue whose parts are changed. */
const changed = (changes: Record<string, object>): Resources => {
  const resources = consumedQueue('Q');
  for (const [name, change] of Object.entries(changes)) {
    resources[name] = resource(resources[name]?.Type ?? '', { ...resources[name]?.Properties, ...change });
  }
  return resources;
};
const roleThat = (...statements: object[]) => ({
  Policies: [{ PolicyName: 'p', PolicyDocument: { Statement: statements } }],
});

describe('a stack with queues', () => {
  it.each<[string, Resources]>([
    ['Q: DeduplicationScope of a queue cannot', changed({ Q: { DeduplicationScope: 'messageGroup' } })],
    ['QMapping: MetricsConfig cannot', changed({ QMapping: { MetricsConfig: {} } })],
    [
      'QMapping: the filter rule',
      changed({ QMapping: { FilterCriteria: { Filters: [{ Pattern: '{"body":[{}]}' }] } } }),
    ],
    [
      'QMapping: the queue hides a message for 9 s, and its function may take 10 s',
      changed({ Q: { VisibilityTimeout: 9 } }),
    ],
    [
      'QMapping: the role of Tiny-QConsumer does not allow sqs:DeleteMessage',
      changed({ QConsumerRole: roleThat(allow(['sqs:ReceiveMessage', 'sqs:GetQueueAttributes'], arn('Q'))) }),
    ],
    [
      'QMapping: arn:aws:lambda:us-east-1:000000000000:function:other is not part',
      changed({ QMapping: { FunctionName: 'other' } }),
    ],
    [
      'QMapping: the queue elsewhere is not part of the stack',
      changed({ QMapping: { EventSourceArn: 'arn:aws:sqs:us-east-1:1:elsewhere' } }),
    ],
    [
      'QMapping: arn:aws:kinesis:us-east-1:1:x is no source',
      changed({ QMapping: { EventSourceArn: 'arn:aws:kinesis:us-east-1:1:x' } }),
    ],
    [
      'SMapping: a stream is read from TRIM_HORIZON or LATEST',
      streamConsumer('S', 'a', { StartingPosition: 'AT_TIMESTAMP' }),
    ],
    ['SMapping: TumblingWindowInSeconds cannot', streamConsumer('S', 'a', { TumblingWindowInSeconds: 5 })],
    [
      'SMapping: what failed can only be sent to a queue',
      streamConsumer('S', 'a', { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:us-east-1:1:topic' } } }),
    ],
    [
      'SMapping: the queue gone is not part',
      streamConsumer('S', 'a', { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:1:gone' } } }),
    ],
  ])('is refused where it would run differently in AWS: %s', async (message, resources) => {
    await expect(start(resources)).rejects.toThrow(message);
  });

  it('tells that queue policies and topics are not run, and leaves a mapping alone that is switched off', async () => {
    const cloud = await start({
      ...changed({ QMapping: { Enabled: false, FunctionName: 'other' } }),
      Policy: resource('AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'Q' }], PolicyDocument: {} }),
      Alarms: resource('AWS::SNS::Topic', {}),
    });
    expect(cloud.notRun).toEqual(['AWS::SNS::Topic (1)', 'AWS::SQS::QueuePolicy (1)']);
    await cloud.stop();
  });
});

describe('kept queues', () => {
  const definition: QueueDefinition = {
    ...{ name: 'kept', arn: 'arn:aws:sqs:us-east-1:000000000000:kept', fifo: false, deadLetterArn: undefined },
    ...{ visibility: 600, attributes: { VisibilityTimeout: '600' } },
  };
  const startKept = async (definitions = [definition]) => {
    const queues = await startQueues(definitions, { region: 'us-east-1', dataDir: directory });
    if (queues === undefined) throw new Error('no queues');
    return queues;
  };
  const receive = new ReceiveMessageCommand({ QueueUrl: 'kept', MaxNumberOfMessages: 10 });

  it('hold over a restart what was not deleted, visible again', async () => {
    const first = await startKept();
    for (const MessageBody of ['read', 'deleted', 'unread'])
      await first.client.send(new SendMessageCommand({ QueueUrl: 'kept', MessageBody }));
    const { Messages = [] } = await first.client.send(receive);
    const [, { ReceiptHandle } = {}] = Messages;
    await first.client.send(new DeleteMessageCommand({ QueueUrl: 'kept', ReceiptHandle }));
    expect(first.state()).toEqual([{ name: 'kept', visible: 0, inFlight: 2, delayed: 0 }]);
    await first.stop();

    const second = await startKept();
    const again = await second.client.send(receive);
    expect(again.Messages?.map(({ Body }) => Body)).toEqual(['read', 'unread']);
    await second.stop();
  });

  it('follow the stack when it has changed', async () => {
    const queues = await startKept([{ ...definition, attributes: { VisibilityTimeout: '1' } }]);
    await queues.client.send(new SendMessageCommand({ QueueUrl: 'kept', MessageBody: 'new' }));
    const before = Date.now();
    await queues.client.send(receive);
    // Looked at and not waited for: another receive would hide anew what has just become visible.
    const hiddenUntil = queues.contents('kept').inflight.map(({ visibilityDeadline }) => visibilityDeadline);
    expect(Math.max(...hiddenUntil)).toBeGreaterThanOrEqual(before + 1_000);
    expect(Math.max(...hiddenUntil)).toBeLessThanOrEqual(Date.now() + 1_000);
    await queues.stop();
  });
});
