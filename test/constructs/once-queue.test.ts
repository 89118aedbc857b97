import { Duration, type Stack } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { describe, expect, it } from 'vitest';
import { IdempotencyTable } from '../../lib/constructs/idempotency-table.ts';
import { OnceQueue, type OnceQueueProps } from '../../lib/constructs/once-queue.ts';
import { SequenceQueue } from '../../lib/constructs/sequence-queue.ts';
import { environmentOf, statementsFor, synthesize } from './synthesize.ts';

const entry = 'functions/deposit-consumer.ts';
const once = (props: Partial<OnceQueueProps> = {}) =>
  synthesize((stack: Stack) => {
    const table = new IdempotencyTable(stack, 'Idempotency');
    new OnceQueue(stack, 'Things', { entry, idempotency: { table }, ...props });
  });

/** The template of a leased consumer. */
const leased = () =>
  synthesize((stack: Stack) => {
    const table = new IdempotencyTable(stack, 'Idempotency');
    new OnceQueue(stack, 'Things', { entry, idempotency: { table, mode: 'leased' } });
  });

const actions = (template: ReturnType<typeof once>, service: string) =>
  statementsFor(template, service)
    .flatMap(({ Action }) => Action)
    .toSorted();

describe('OnceQueue', () => {
  const template = once({ maxConcurrency: 5 });

  it('R27 reports failures message by message', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });

  it('gives a message up after ten receives, into a queue that keeps it for 14 days', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { maxReceiveCount: 10 },
      MessageRetentionPeriod: 4 * 86_400,
      SqsManagedSseEnabled: true,
    });
    template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 86_400 });
  });

  it('lets the consumer mark, receive and dead-letter, and nothing else', () => {
    expect(actions(template, 'dynamodb')).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem']);
    expect(actions(template, 'sqs')).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
  });

  it('lets a leased consumer release what it certainly did not begin', () => {
    expect(actions(leased(), 'dynamodb')).toContain('dynamodb:DeleteItem');
  });

  it('lets it write to the table of the application too', () => {
    const withData = synthesize((stack) => {
      const table = new IdempotencyTable(stack, 'Idempotency');
      const data = new Table(stack, 'Data', { partitionKey: { name: 'pk', type: AttributeType.STRING } });
      const access = { table: data, actions: ['UpdateItem'] as const };
      new OnceQueue(stack, 'Things', { entry, idempotency: { table }, data: access });
    });
    expect(actions(withData, 'dynamodb')).toContain('dynamodb:UpdateItem');
  });
});

describe('R28 retention', () => {
  it('R28 of markers is what queue, dead-letter queue and a redrive can take together', () => {
    expect(environmentOf(once(), 'Things').MARKER_RETENTION_SECONDS).toBe(String(32 * 86_400));
    const shorter = { retention: Duration.days(1), deadLetterRetention: Duration.days(2) };
    expect(environmentOf(once(shorter), 'Things').MARKER_RETENTION_SECONDS).toBe(String(17 * 86_400));
  });

  it('R28 that is shorter fails synthesis and states the numbers', () => {
    expect(() => once({ markerRetention: Duration.days(31) })).toThrow(
      'Test/Things: markers are kept for 2678400 s but must be kept for at least 2764800 s: ' +
        '345600 s in the queue + 1209600 s in the dead-letter queue + 1209600 s for a redrive.',
    );
  });
});

describe('R28 visibility', () => {
  it('R28 is six times the timeout and the batching window', () => {
    once({ timeout: Duration.seconds(20), batchingWindow: Duration.seconds(5) }).hasResourceProperties(
      'AWS::SQS::Queue',
      { VisibilityTimeout: 125 },
    );
  });

  it('R28 that is shorter fails synthesis and states the numbers', () => {
    expect(() => once({ timeout: Duration.seconds(20), visibility: Duration.seconds(119) })).toThrow(
      'Test/Things: the visibility timeout is 119 s but must be at least 120 s, ' +
        "which is 6 × the function's timeout of 20 s + the batching window of 0 s.",
    );
  });

  it('has no batching window on a FIFO queue', () => {
    expect(() => once({ fifo: true, batchingWindow: Duration.seconds(1) })).toThrow('leave batchingWindow out');
    once({ fifo: true }).hasResourceProperties('AWS::SQS::Queue', { FifoQueue: true });
  });
});

describe('SequenceQueue', () => {
  const template = synthesize((stack) => {
    new SequenceQueue(stack, 'Things', { entry, table: new IdempotencyTable(stack, 'Idempotency') });
  });

  it('R29 is a FIFO queue whose consumer may move marks', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { FifoQueue: true });
    expect(actions(template, 'dynamodb')).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  });
});
