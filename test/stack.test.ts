import { readFileSync } from 'node:fs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { SemelStack, type SemelStackProps } from '../lib/stack.ts';
import { environmentOf, statements, statementsFor, unbundledApp } from './constructs/synthesize.ts';

const synthesizeStack = (props: SemelStackProps = {}): Template =>
  Template.fromStack(new SemelStack(unbundledApp(), 'Semel', props));

const template = synthesizeStack();

const tableWith = (key: string): string =>
  Object.keys(
    template.findResources('AWS::DynamoDB::Table', {
      Properties: { GlobalSecondaryIndexes: Match.arrayWith([Match.objectLike({ IndexName: key })]) },
    }),
  )[0] ?? '';
const data = tableWith('byDebtor');
const records = tableWith('unfinished');
const providerTable =
  Object.keys(template.findResources('AWS::DynamoDB::Table')).find((id) => id.startsWith('SandboxProvider')) ?? '';
const providerApi =
  Object.keys(template.findResources('AWS::ApiGatewayV2::Api')).find((id) => id.startsWith('SandboxProvider')) ?? '';
const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const indexArn = (index: string) => ({ 'Fn::Join': ['', [arn(data), `/index/${index}`]] });

/** What the role of one function may do in DynamoDB. */
const tableStatementsOf = (endpoint: string) => {
  const policies = template.findResources('AWS::IAM::Policy');
  const own = Object.fromEntries(Object.entries(policies).filter(([id]) => id.startsWith(endpoint)));
  expect(Object.keys(own)).toHaveLength(1);
  return statementsFor(Template.fromJSON({ Resources: own }), 'dynamodb');
};

describe('the ledger', () => {
  it('is keyed by pk and sk, on demand, and can be restored to a point in time', () => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it.each([
    ['byDebtor', 'debitAccount'],
    ['byCreditor', 'creditAccount'],
  ])('finds entries %s', (IndexName, account) => {
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      AttributeDefinitions: Match.arrayWith([{ AttributeName: account, AttributeType: 'S' }]),
      GlobalSecondaryIndexes: Match.arrayWith([
        {
          IndexName,
          KeySchema: [
            { AttributeName: account, KeyType: 'HASH' },
            { AttributeName: 'entryUuid', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ]),
    });
  });
});

describe('the API', () => {
  it('has one unnamed stage that is throttled', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Stage', { StageName: '$default' });
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
    });
  });

  it('can be throttled otherwise', () => {
    synthesizeStack({ throttle: { rateLimit: 5, burstLimit: 7 } }).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 7 },
    });
  });

  it('logs each request, without path, query or headers', () => {
    const stages = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const { DestinationArn, Format } = stages.map((stage) => stage.Properties.AccessLogSettings)[0];
    expect(DestinationArn).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^AccessLogs/), 'Arn'] });
    expect(Object.keys(JSON.parse(Format))).toContain('status');
    expect(Format).not.toMatch(/\$context\.(path|http|authorizer)|header|query/i);
  });

  it('answers the routes of the contract', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    const wallets = routes.filter((route) => route.Properties.ApiId.Ref !== providerApi);
    expect(wallets.map((route) => route.Properties.RouteKey).toSorted()).toEqual([
      'GET /accounts/{id}',
      'GET /accounts/{id}/entries',
      'GET /charges/{id}',
      'GET /health',
      'GET /openapi.json',
      'GET /operations/{id}',
      'GET /problems/{code}',
      'GET /transfers/{id}',
      'POST /accounts',
      'POST /charges',
      'POST /charges/{id}/refunds',
      'POST /transfers',
    ]);
  });
});

describe('permissions', () => {
  it('of Accounts: create and read, and query both indexes', () => {
    expect(tableStatementsOf('Accounts')).toEqual([
      { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: [arn(data), arn(records)] },
      { Effect: 'Allow', Action: 'dynamodb:Query', Resource: [indexArn('byCreditor'), indexArn('byDebtor')] },
    ]);
  });

  it('of Transfers: update in the ledger only', () => {
    expect(tableStatementsOf('Transfers')).toEqual([
      { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: arn(records) },
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: arn(data),
      },
    ]);
  });

  it('of Charges: delete its own claims, update in the ledger', () => {
    expect(tableStatementsOf('Charges')).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
        Resource: arn(records),
      },
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: arn(data),
      },
    ]);
  });

  it('of Operations: read only', () => {
    expect(tableStatementsOf('Operations')).toEqual([
      { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: [arn(data), arn(records)] },
    ]);
  });

  it('of Reconcile: find what is unfinished and finish it, delete nothing', () => {
    expect(tableStatementsOf('ReconcileRole')).toEqual([
      { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: arn(records) },
      {
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: { 'Fn::Join': ['', [arn(records), '/index/unfinished']] },
      },
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: arn(data),
      },
    ]);
  });

  it('of the sandbox provider: its own table only', () => {
    expect(tableStatementsOf('SandboxProvider')).toEqual([
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: arn(providerTable),
      },
    ]);
  });

  it('of Service: none on tables', () => {
    expect(tableStatementsOf('Service')).toEqual([]);
  });

  it('hold no wildcard and only allow', () => {
    expect(statements(template).length).toBeGreaterThan(0);
    for (const { Effect, Action, Resource } of statements(template)) {
      expect(Effect).toBe('Allow');
      expect(JSON.stringify([Action, Resource])).not.toContain('*');
    }
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent(), Policies: Match.absent() });
  });
});

describe('every function', () => {
  it('is told the tables that it may use and no other', () => {
    const tables = ['IDEMPOTENCY_TABLE_NAME', 'DATA_TABLE_NAME'] as const;
    for (const endpoint of ['Accounts', 'Transfers', 'Charges', 'Operations', 'ReconcileFunction', 'Service']) {
      const named = tables.flatMap((name) => environmentOf(template, endpoint)[name] ?? []);
      expect(named).toEqual(endpoint === 'Service' ? [] : [{ Ref: records }, { Ref: data }]);
    }
  });

  it('R13 behind a route ends before the HTTP API gives up', () => {
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
    const timeouts = functions
      .filter(([id]) => !id.startsWith('Reconcile'))
      .map(([, fn]) => fn.Properties.Timeout as number);
    expect(timeouts).toHaveLength(6);
    expect(Math.max(...timeouts)).toBeLessThanOrEqual(25);
  });

  it('has logs that end', () => {
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    const apis = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    template.resourceCountIs('AWS::Logs::LogGroup', functions.length + apis.length);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
  });
});

describe('the provider', () => {
  const url = { 'Fn::GetAtt': [providerApi, 'ApiEndpoint'] };

  it('is a sandbox with an API of its own, which charges and the reconciler are told', () => {
    expect(environmentOf(template, 'Charges').PROVIDER_URL).toEqual(url);
    expect(environmentOf(template, 'ReconcileFunction').PROVIDER_URL).toEqual(url);
    expect(environmentOf(template, 'SandboxProvider').PROVIDER_TABLE_NAME).toEqual({ Ref: providerTable });
  });

  it('can be a real one, and then no sandbox is deployed', () => {
    const real = synthesizeStack({ providerUrl: 'https://provider.example' });
    expect(environmentOf(real, 'Charges').PROVIDER_URL).toBe('https://provider.example');
    real.resourceCountIs('AWS::ApiGatewayV2::Api', 1);
    real.resourceCountIs('AWS::DynamoDB::Table', 2);
  });
});

it('R11 unfinished operations are looked for every minute', () => {
  const [reconcile = ''] = Object.keys(template.findResources('AWS::Lambda::Function')).filter((id) =>
    id.startsWith('Reconcile'),
  );
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
    Targets: [Match.objectLike({ Arn: arn(reconcile) })],
  });
});

describe('removal', () => {
  const policies = (of: Template): Set<string | undefined> => {
    const { Resources } = of.toJSON() as { Resources: Record<string, { Type: string; DeletionPolicy?: string }> };
    const kept = Object.values(Resources).filter(({ Type }) => /::(Table|LogGroup)$/.test(Type));
    return new Set(kept.map(({ DeletionPolicy }) => DeletionPolicy));
  };

  it('keeps tables and logs', () => {
    expect(policies(template)).toEqual(new Set(['Retain']));
    template.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
  });

  it('takes everything along when ephemeral', () => {
    const temporary = synthesizeStack({ ephemeral: true });
    expect(policies(temporary)).toEqual(new Set(['Delete']));
    temporary.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
  });
});

it('tells where it is', () => {
  for (const output of ['ApiUrl', 'IdempotencyTableName', 'DataTableName']) template.hasOutput(output, {});
});

it('is validated at synth', () => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  expect(context['@aws-cdk/core:validateAgainstDefaultRules']).toBe(true);
});
