import { type CfnElement, Duration, type Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { BundledFunction } from '../constructs/bundled-function.ts';
import { grantData } from '../constructs/data-access.ts';
import { OnceQueue } from '../constructs/once-queue.ts';
import { Outbox } from '../constructs/outbox.ts';
import { SequenceQueue } from '../constructs/sequence-queue.ts';
import { functionFile } from './function-file.ts';
import { addEndpoint, type WalletParts } from './wallet-endpoints.ts';

type MessageParts = Pick<WalletParts, 'api' | 'idempotency' | 'data'>;

const WALLET = { serviceName: 'wallet' };

/** Deposits are accepted over HTTP and credited by the consumer of their queue, once per event id. */
export const addDeposits = (stack: Stack, { api, idempotency, data }: MessageParts): void => {
  const queue = new OnceQueue(stack, 'DepositQueue', {
    ...WALLET,
    entry: functionFile('deposit-consumer'),
    // Deposits may wait, and many at once would only meet each other on the accounts that get most of them.
    maxConcurrency: 5,
    idempotency: { table: idempotency },
    data: { table: data, actions: ['PutItem', 'UpdateItem'] },
  });
  const deposits = addEndpoint(stack, 'Deposits', {
    api,
    routes: ['POST /deposits'],
    data: { table: data, actions: ['GetItem'] },
  });
  queue.grantSend(deposits.function);
};

/** Senders number their messages; each is a group of the queue, so that they do not wait for each other. */
export const addSenders = (stack: Stack, { api, idempotency, data }: MessageParts): void => {
  const queue = new SequenceQueue(stack, 'SenderQueue', {
    ...WALLET,
    entry: functionFile('sender-consumer'),
    table: idempotency,
  });
  const senders = addEndpoint(stack, 'Senders', {
    api,
    routes: ['POST /senders/{sender}/messages', 'GET /senders/{sender}'],
    idempotency: { table: idempotency, mode: 'read' },
    data: { table: data, actions: ['GetItem'] },
  });
  queue.grantSend(senders.function);
};

/** What transfers tell of goes through the outbox to a consumer that stores it. */
export const addNotifications = (stack: Stack, { idempotency, data }: MessageParts): void => {
  const queue = new OnceQueue(stack, 'NotificationQueue', {
    ...WALLET,
    entry: functionFile('notification-consumer'),
    idempotency: { table: idempotency },
    data: { table: data, actions: ['PutItem'] },
  });
  const outbox = new Outbox(stack, 'Outbox', {
    ...WALLET,
    table: idempotency,
    target: queue,
    entries: { relay: functionFile('outbox-relay'), sweeper: functionFile('outbox-sweeper') },
  });
  Validations.of(outbox.failures).acknowledge({ id: 'AwsSolutions::AwsSolutions-SQS3', reason: LAST_STOP });
  const table: string = stack.resolve((idempotency.table.node.defaultChild as CfnElement).logicalId);
  const streams = `<${table}.Arn>/stream/*`;
  Validations.of(outbox).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${streams}]`,
    reason: 'A mapping lists the streams of a table before it knows their names; all of them are of this one table.',
  });
};

const LAST_STOP =
  'It is where the stream reports what it gave up; the sweeper sends that, so nothing waits here to be done.';

/**
 * Settles the day before, ten minutes into every hour (UTC): the first run after midnight does it, a later one goes on
 * where that died, and the rest find it done, which costs a read each.
 */
export const addSettlement = (stack: Stack, { idempotency, data }: MessageParts): void => {
  const { function: settle } = new BundledFunction(stack, 'Settle', {
    ...WALLET,
    entry: functionFile('settle'),
    timeout: Duration.minutes(5),
  });
  idempotency.grantLeased(settle);
  grantData(settle, { table: data, actions: ['UpdateItem'], queryTable: true });
  new Rule(stack, 'SettleYesterday', {
    schedule: Schedule.cron({ minute: '10' }),
    targets: [new LambdaFunction(settle)],
  });
};
