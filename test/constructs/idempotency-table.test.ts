import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { IdempotencyTable, type IdempotencyTableProps } from '../../lib/constructs/idempotency-table.ts';
import { environmentOf, statementsFor, synthesize } from './synthesize.ts';

const addFunction = (stack: Stack): LambdaFunction =>
  new LambdaFunction(stack, 'Fn', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {}'),
  });

const synthesizeGrant = (
  grant: (table: IdempotencyTable, fn: LambdaFunction) => void,
  props?: (stack: Stack) => IdempotencyTableProps,
): Template =>
  synthesize((stack) => {
    grant(new IdempotencyTable(stack, 'Idempotency', props?.(stack)), addFunction(stack));
  });

const logicalId = (template: Template, type: string): string => Object.keys(template.findResources(type))[0] ?? '';

describe('the table', () => {
  const template = synthesize((stack) => {
    new IdempotencyTable(stack, 'Idempotency');
  });

  it('has one key, is billed on demand and can be restored to a point in time', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: Match.absent(),
    });
  });

  it('R8 deletes by expiresAt', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  it('streams new images', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    });
  });

  it('finds unfinished records by shard and end of lease, keys only', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: 'pendingShard', AttributeType: 'S' },
        { AttributeName: 'leaseUntil', AttributeType: 'N' },
      ]),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'unfinished',
          KeySchema: [
            { AttributeName: 'pendingShard', KeyType: 'HASH' },
            { AttributeName: 'leaseUntil', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  it('outlives its stack and is protected from deletion', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });

  it('goes with its stack where that is asked for', () => {
    const temporary = synthesize((stack) => {
      new IdempotencyTable(stack, 'Idempotency', { removalPolicy: RemovalPolicy.DESTROY });
    });
    temporary.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });
});

describe('a grant', () => {
  it.each([
    ['grantAtomic', ['dynamodb:GetItem', 'dynamodb:PutItem']],
    ['grantLeased', ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem']],
    ['grantRead', 'dynamodb:GetItem'],
  ] as const)('%s allows %j on the table itself, and names it', (grant, actions) => {
    const template = synthesizeGrant((table, fn) => table[grant](fn));
    const id = logicalId(template, 'AWS::DynamoDB::Table');
    expect(statementsFor(template, 'dynamodb')).toEqual([
      { Effect: 'Allow', Action: actions, Resource: { 'Fn::GetAtt': [id, 'Arn'] } },
    ]);
    expect(environmentOf(template, 'Fn')).toEqual({ IDEMPOTENCY_TABLE_NAME: { Ref: id } });
  });

  it('grantReconcile also allows a query of the unfinished, and nothing is deleted', () => {
    const template = synthesizeGrant((table, fn) => table.grantReconcile(fn));
    const id = logicalId(template, 'AWS::DynamoDB::Table');
    const arn = { 'Fn::GetAtt': [id, 'Arn'] };
    expect(statementsFor(template, 'dynamodb')).toEqual([
      { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: arn },
      { Effect: 'Allow', Action: 'dynamodb:Query', Resource: { 'Fn::Join': ['', [arn, '/index/unfinished']] } },
    ]);
    expect(environmentOf(template, 'Fn')).toEqual({ IDEMPOTENCY_TABLE_NAME: { Ref: id } });
  });

  it('withheld leaves neither permission nor name', () => {
    const template = synthesizeGrant(() => {});
    expect(statementsFor(template, 'dynamodb')).toEqual([]);
    template.hasResourceProperties('AWS::Lambda::Function', { Environment: Match.absent() });
  });
});

describe('a customer key', () => {
  const withKey = (stack: Stack): IdempotencyTableProps => ({ encryptionKey: new Key(stack, 'Key') });

  it('encrypts the table', () => {
    const template = synthesizeGrant(() => {}, withKey);
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: {
        KMSMasterKeyId: { 'Fn::GetAtt': [logicalId(template, 'AWS::KMS::Key'), 'Arn'] },
        SSEEnabled: true,
        SSEType: 'KMS',
      },
    });
  });

  it.each([
    ['grantRead', ['kms:Decrypt', 'kms:DescribeKey']],
    [
      'grantAtomic',
      [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
    ],
  ] as const)('comes with %s: %j', (grant, actions) => {
    const template = synthesizeGrant((table, fn) => table[grant](fn), withKey);
    expect(statementsFor(template, 'kms')).toEqual([
      {
        Effect: 'Allow',
        Action: actions,
        Resource: { 'Fn::GetAtt': [logicalId(template, 'AWS::KMS::Key'), 'Arn'] },
      },
    ]);
  });
});
