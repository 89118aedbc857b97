import { Duration, type Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import type { ExistingQueue } from '../../lib/constructs/consumer-queue.ts';
import { IdempotencyTable } from '../../lib/constructs/idempotency-table.ts';
import { OnceQueue } from '../../lib/constructs/once-queue.ts';
import { SequenceQueue } from '../../lib/constructs/sequence-queue.ts';
import { environmentOf, statementsFor, synthesize } from './synthesize.ts';

const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records';
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0b1c';
const entry = 'functions/deposit-consumer.ts';

const queueArn = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;

const existing = (stack: Stack, own: Partial<ExistingQueue> = {}): ExistingQueue => ({
  queue: Queue.fromQueueArn(stack, 'Orders', queueArn('orders')),
  deadLetterQueue: Queue.fromQueueArn(stack, 'Dead', queueArn('orders-dead')),
  visibility: Duration.minutes(5),
  retention: Duration.days(2),
  deadLetterRetention: Duration.days(7),
  ...own,
});

const consume = (own: (stack: Stack) => Partial<ExistingQueue> = () => ({})) =>
  synthesize((stack) => {
    const table = IdempotencyTable.fromTableName(stack, 'Idempotency', 'records');
    new OnceQueue(stack, 'Things', { entry, idempotency: { table }, existing: existing(stack, own(stack)) });
  });

describe('an existing table', () => {
  it('is used by name, and none is made', () => {
    const template = consume();
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(environmentOf(template, 'Things').IDEMPOTENCY_TABLE_NAME).toBe('records');
    const [statement] = statementsFor(template, 'dynamodb');
    expect(JSON.stringify(statement?.Resource)).toContain(':table/records');
  });

  it('brings its customer key along', () => {
    const template = synthesize((stack) => {
      const encryptionKey = Key.fromKeyArn(stack, 'Key', KEY);
      const imported = Table.fromTableAttributes(stack, 'Records', { tableArn: TABLE, encryptionKey });
      const table = new IdempotencyTable(stack, 'Idempotency', { existing: imported });
      new SequenceQueue(stack, 'Things', { entry, table });
    });
    expect(statementsFor(template, 'kms').map(({ Resource }) => Resource)).toContain(KEY);
  });
});

describe('an existing queue', () => {
  it('is consumed, and none is made', () => {
    const template = consume();
    template.resourceCountIs('AWS::SQS::Queue', 0);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', { EventSourceArn: queueArn('orders') });
    expect(environmentOf(template, 'Things').DEAD_LETTER_QUEUE_URL).toBeDefined();
  });

  it('R28 decides by its own retentions how long markers are kept', () => {
    expect(environmentOf(consume(), 'Things').MARKER_RETENTION_SECONDS).toBe(String((2 + 7 + 14) * 86_400));
  });

  it('R28 that shows messages again too early fails synthesis', () => {
    expect(() => consume(() => ({ visibility: Duration.seconds(179) }))).toThrow('must be at least 180 s');
  });

  it('must be of the kind that is asked for', () => {
    const fifo = (stack: Stack) => ({ queue: Queue.fromQueueArn(stack, 'Fifo', queueArn('orders.fifo')) });
    expect(() => consume(fifo)).toThrow('the existing queue is a FIFO queue, and a standard one is asked for');
  });

  it('that a customer key encrypts can be dead-lettered to', () => {
    const template = consume((stack) => ({
      deadLetterQueue: Queue.fromQueueAttributes(stack, 'Locked', { queueArn: queueArn('locked'), keyArn: KEY }),
    }));
    const allowed = statementsFor(template, 'kms').flatMap(({ Action }) => Action);
    expect(allowed.toSorted()).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
  });
});
