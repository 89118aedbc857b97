import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { environmentOf, type statements } from '../constructs/synthesize.ts';
import { arn, data, records, template } from './synthesized-stack.ts';

/** Everything that the role of one function may do, action by action, with the logical ids that it is about. */
const allowed = (role: string): string[] => {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith(role));
  expect(policies).toHaveLength(1);
  const own = policies.flatMap(
    ([, policy]) => policy.Properties.PolicyDocument.Statement as ReturnType<typeof statements>,
  );
  return own
    .flatMap(({ Action, Resource }) => [Action].flat().map((action) => `${action} ${JSON.stringify(Resource)}`))
    .filter((line) => !line.startsWith('logs:'));
};

const onTable = (...actions: readonly string[]) =>
  actions.map((action) => expect.stringContaining(`dynamodb:${action} `));

describe('the consumer of deposits', () => {
  const lines = allowed('DepositQueueConsumerRole');

  it('marks and credits, and reads nothing of the ledger', () => {
    expect(lines.filter((line) => line.includes(data))).toEqual(onTable('PutItem', 'UpdateItem'));
    expect(lines.filter((line) => line.includes(records))).toEqual(onTable('GetItem', 'PutItem'));
  });

  it('may send to its dead-letter queue only', () => {
    const sends = lines.filter((line) => line.startsWith('sqs:SendMessage'));
    expect(sends).toEqual([expect.stringContaining('DepositQueueDeadLetters')]);
  });

  it('R28 keeps markers for 32 days: 4 in the queue, 14 dead, 14 to be redriven', () => {
    expect(environmentOf(template, 'DepositQueueConsumer').MARKER_RETENTION_SECONDS).toBe(String(32 * 86_400));
  });
});

describe('the consumer of senders', () => {
  it('R29 moves marks and touches nothing else', () => {
    const lines = allowed('SenderQueueConsumerRole').filter((line) => line.startsWith('dynamodb:'));
    expect(lines).toEqual(onTable('GetItem', 'UpdateItem'));
    expect(lines.join()).not.toContain(data);
  });
});

describe('what accepts messages', () => {
  it.each([
    ['Deposits', 'DepositQueue'],
    ['Senders', 'SenderQueue'],
  ])('%s may send to its queue only', (endpoint, queue) => {
    const sends = allowed(`${endpoint}Handler`).filter((line) => line.startsWith('sqs:'));
    expect(sends).toEqual([expect.stringMatching(new RegExp(`^sqs:SendMessage .*"${queue}[0-9A-F]{8}"`))]);
  });
});

describe('the outbox', () => {
  it('R32 reads new events only, repeats what failed, and reports what it gave up', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [records, 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 5,
      DestinationConfig: { OnFailure: { Destination: arn(failures()) } },
      FilterCriteria: {
        Filters: [{ Pattern: '{"eventName":["INSERT"],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"outbox#"}]}}}}' }],
      },
    });
  });

  it('R32 is swept every minute', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: [Match.objectLike({ Arn: arn(functionId('OutboxSweeper')) })],
    });
  });

  it('R32 relays with a delete and nothing more', () => {
    const lines = allowed('OutboxRelayRole').filter((line) => line.startsWith('dynamodb:'));
    expect(lines).toEqual(
      expect.arrayContaining(onTable('DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams', 'DeleteItem')),
    );
    expect(lines).toHaveLength(5);
  });
});

it('R33 the settlement runs every hour', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'cron(10 * * * ? *)',
    Targets: [Match.objectLike({ Arn: arn(functionId('Settle')) })],
  });
});

const idOf = (type: string, prefix: string): string =>
  Object.keys(template.findResources(type)).find((id) => id.startsWith(prefix)) ?? '';
const functionId = (prefix: string): string => idOf('AWS::Lambda::Function', prefix);
const failures = (): string => idOf('AWS::SQS::Queue', 'OutboxFailures');
