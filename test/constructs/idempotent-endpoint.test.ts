import { Duration, type Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type Attribute, AttributeType, type ITable, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { IdempotencyTable } from '../../lib/constructs/idempotency-table.ts';
import {
  type IdempotencyMode,
  IdempotentEndpoint,
  type IdempotentEndpointProps,
} from '../../lib/constructs/idempotent-endpoint.ts';
import { WebhookEndpoint } from '../../lib/constructs/webhook-endpoint.ts';
import { environmentOf, statementsFor, synthesize } from './synthesize.ts';

const synthesizeEndpoint = (props: (stack: Stack) => Partial<IdempotentEndpointProps> = () => ({})): Template =>
  synthesize((stack) => {
    new IdempotentEndpoint(stack, 'Things', {
      api: new HttpApi(stack, 'Api'),
      entry: 'lib/environment.ts',
      routes: ['POST /things', 'GET /things/{id}'],
      ...props(stack),
    });
  });

const withTimeout = (timeout: Duration): Template => synthesizeEndpoint(() => ({ timeout }));

describe('the function', () => {
  it('runs on Node 24 on arm64 with 1 GB and 10 s', () => {
    synthesizeEndpoint().hasResourceProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 1024,
      Timeout: 10,
    });
  });

  it.each([Duration.millis(25_001), Duration.seconds(26), Duration.minutes(15)])(
    'R13 may not take longer than the HTTP API waits: %s',
    (timeout) => {
      const seconds = timeout.toSeconds({ integral: false });
      expect(() => withTimeout(timeout)).toThrow(
        `Test/Things: the timeout is ${seconds} s but may be at most 25 s, because the HTTP API gives up at 30 s`,
      );
    },
  );

  it('R13 may take 25 s', () => {
    withTimeout(Duration.seconds(25)).hasResourceProperties('AWS::Lambda::Function', { Timeout: 25 });
  });

  it('answers each of its routes', () => {
    const template = synthesizeEndpoint();
    template.resourceCountIs('AWS::ApiGatewayV2::Route', 2);
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'POST /things' });
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'GET /things/{id}' });
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { PayloadFormatVersion: '2.0' });
  });

  it('keeps its logs for three months, or as long as asked', () => {
    synthesizeEndpoint().hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
    synthesizeEndpoint(() => ({ logRetention: RetentionDays.ONE_WEEK })).hasResourceProperties('AWS::Logs::LogGroup', {
      RetentionInDays: 7,
    });
  });

  it('may write to its own log group and do nothing else by itself', () => {
    const template = synthesizeEndpoint();
    const [logGroup] = Object.keys(template.findResources('AWS::Logs::LogGroup'));
    template.hasResourceProperties('AWS::Lambda::Function', { LoggingConfig: { LogGroup: { Ref: logGroup } } });
    template.hasResourceProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: { 'Fn::GetAtt': [logGroup, 'Arn'] },
          },
        ],
      },
    });
  });

  it('carries the names for logs and metrics, and those its owner adds', () => {
    const props = { serviceName: 'wallet', environment: { PROVIDER_URL: 'https://provider.example' } };
    const template = synthesizeEndpoint(() => props);
    expect(environmentOf(template, 'Things')).toEqual({
      POWERTOOLS_SERVICE_NAME: 'wallet',
      POWERTOOLS_METRICS_NAMESPACE: 'Semel',
      NODE_OPTIONS: '--enable-source-maps',
      PROVIDER_URL: 'https://provider.example',
    });
    expect(environmentOf(synthesizeEndpoint(), 'Things')).toHaveProperty('POWERTOOLS_SERVICE_NAME', 'semel');
  });
});

describe('idempotency', () => {
  const actionsOf = (mode?: IdempotencyMode): unknown[] => {
    const template = synthesizeEndpoint((stack) => {
      const table = new IdempotencyTable(stack, 'Idempotency');
      return { idempotency: mode ? { table, mode } : { table } };
    });
    expect(environmentOf(template, 'Things')).toHaveProperty('IDEMPOTENCY_TABLE_NAME');
    return statementsFor(template, 'dynamodb').map(({ Action }) => Action);
  };

  it.each([
    [undefined, ['dynamodb:GetItem', 'dynamodb:PutItem']],
    ['atomic', ['dynamodb:GetItem', 'dynamodb:PutItem']],
    ['leased', ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem']],
    ['read', 'dynamodb:GetItem'],
  ] as const)('%s needs %j', (mode, actions) => {
    expect(actionsOf(mode)).toEqual([actions]);
  });

  it('left out gives nothing', () => {
    const template = synthesizeEndpoint();
    expect(statementsFor(template, 'dynamodb')).toEqual([]);
    expect(environmentOf(template, 'Things')).not.toHaveProperty('IDEMPOTENCY_TABLE_NAME');
  });
});

describe('the key of encrypted replies', () => {
  const synthesizeKeyed = (mode: IdempotencyMode): Template =>
    synthesizeEndpoint((stack) => ({
      idempotency: { table: new IdempotencyTable(stack, 'Idempotency'), mode, replyKey: new Key(stack, 'Key') },
    }));

  it.each([
    ['atomic', ['kms:Decrypt', 'kms:GenerateDataKey']],
    ['leased', ['kms:Decrypt', 'kms:GenerateDataKey']],
    ['read', 'kms:Decrypt'],
  ] as const)('R17 %s may use it for %j, and is told which it is', (mode, actions) => {
    const template = synthesizeKeyed(mode);
    const [id] = Object.keys(template.findResources('AWS::KMS::Key'));
    const arn = { 'Fn::GetAtt': [id, 'Arn'] };
    expect(statementsFor(template, 'kms')).toEqual([{ Effect: 'Allow', Action: actions, Resource: arn }]);
    expect(environmentOf(template, 'Things')).toHaveProperty('REPLY_KEY_ARN', arn);
  });

  it('R17 encrypts no table', () => {
    synthesizeKeyed('atomic').hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: Match.absent() });
  });

  it('R17 left out gives nothing', () => {
    const template = synthesizeEndpoint((stack) => ({
      idempotency: { table: new IdempotencyTable(stack, 'Idempotency') },
    }));
    expect(statementsFor(template, 'kms')).toEqual([]);
    expect(environmentOf(template, 'Things')).not.toHaveProperty('REPLY_KEY_ARN');
  });
});

describe('the keys of the data table', () => {
  const text = (name: string) => ({ name, type: AttributeType.STRING });
  const endpointOver = (table: (stack: Stack) => ITable, props: Partial<IdempotentEndpointProps> = {}) =>
    synthesizeEndpoint((stack) => ({ data: { table: table(stack), actions: ['GetItem'] }, ...props }));
  const tableOf = (partitionKey: Attribute, sortKey?: Attribute) => (stack: Stack) =>
    new Table(stack, 'Data', { partitionKey, ...(sortKey && { sortKey }) });

  it.each([
    ['pk alone', tableOf(text('pk')), 'pk (S)'],
    ['other names', tableOf(text('id'), text('range')), 'id (S) and range (S)'],
    ['a number', tableOf(text('pk'), { name: 'sk', type: AttributeType.NUMBER }), 'pk (S) and sk (N)'],
  ])('R4 must be those that API keys are looked up by: %s is a synth error', (_, table, keys) => {
    expect(() => endpointOver(table)).toThrow(
      `Test/Things: API keys are looked up in the data table Test/Data by pk (S) and sk (S), but its keys are ${keys}. ` +
        "Give the table these keys, or, where the handler has an authenticate of its own, say authentication: 'own'.",
    );
  });

  it.each<[string, (stack: Stack) => ITable, Partial<IdempotentEndpointProps>]>([
    ['are pk and sk', tableOf(text('pk'), text('sk')), {}],
    ['are any where the handler authenticates by itself', tableOf(text('id')), { authentication: 'own' }],
    ['are not known here', (stack) => Table.fromTableName(stack, 'Data', 'data'), {}],
  ])('R4 are fine where they %s', (_, table, props) => {
    expect(environmentOf(endpointOver(table, props), 'Things')).toHaveProperty('DATA_TABLE_NAME');
  });

  it('R4 are read of a TableV2 too', () => {
    const table = (stack: Stack) => new TableV2(stack, 'Data', { partitionKey: text('pk') });
    expect(() => endpointOver(table)).toThrow('but its keys are pk (S).');
  });

  it('R4 do not matter to webhooks, which are signed', () => {
    const template = synthesize((stack) => {
      new WebhookEndpoint(stack, 'Hooks', {
        ...{ api: new HttpApi(stack, 'Api'), entry: 'lib/environment.ts', sources: { stripe: {} } },
        idempotency: new IdempotencyTable(stack, 'Idempotency'),
        data: { table: tableOf(text('id'))(stack), actions: ['PutItem'] },
      });
    });
    expect(environmentOf(template, 'Hooks')).toHaveProperty('DATA_TABLE_NAME');
  });
});

describe('the data table', () => {
  const partitionKey = { name: 'pk', type: AttributeType.STRING };
  const sortKey = { name: 'sk', type: AttributeType.STRING };
  const template = synthesizeEndpoint((stack) => {
    const table = new Table(stack, 'Data', { partitionKey, sortKey });
    table.addGlobalSecondaryIndex({ indexName: 'byOwner', partitionKey });
    return { data: { table, actions: ['GetItem', 'ConditionCheckItem'], queryIndexes: ['byOwner'] } };
  });
  const [id] = Object.keys(template.findResources('AWS::DynamoDB::Table'));

  it('is open to the named actions, its indexes only to queries', () => {
    expect(statementsFor(template, 'dynamodb')).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem'],
        Resource: { 'Fn::GetAtt': [id, 'Arn'] },
      },
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': [id, 'Arn'] }, '/index/byOwner']] },
      },
    ]);
  });

  it('brings its customer key along, to queries too', () => {
    const encrypted = synthesizeEndpoint((stack) => {
      const table = new Table(stack, 'Data', { partitionKey, sortKey, encryptionKey: new Key(stack, 'Key') });
      return { data: { table, actions: [], queryIndexes: ['byOwner'] } };
    });
    const [key] = Object.keys(encrypted.findResources('AWS::KMS::Key'));
    expect(statementsFor(encrypted, 'kms')).toEqual([
      { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:DescribeKey'], Resource: { 'Fn::GetAtt': [key, 'Arn'] } },
    ]);
  });

  it('is named', () => {
    expect(environmentOf(template, 'Things')).toHaveProperty('DATA_TABLE_NAME', { Ref: id });
  });
});
