import { readFileSync } from 'node:fs';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../lib/wallet/contract.ts';
import { environmentOf } from './constructs/synthesize.ts';
import { data, providerApi, records, synthesizeStack, template } from './stack/synthesized-stack.ts';

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

  it('answers the routes that the contract publishes and no other', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    const wallets = routes.filter((route) => route.Properties.ApiId.Ref !== providerApi);
    expect(wallets.map((route) => route.Properties.RouteKey).toSorted()).toEqual(
      ROUTES.map(({ route }) => route).toSorted(),
    );
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
    const integrations = Object.values(template.findResources('AWS::ApiGatewayV2::Integration'));
    const behindRoutes = integrations.map((integration) => integration.Properties.IntegrationUri['Fn::GetAtt'][0]);
    expect(behindRoutes.length).toBeGreaterThan(0);
    const functions = template.findResources('AWS::Lambda::Function');
    const timeouts = behindRoutes.map((id) => functions[id]?.Properties.Timeout as number);
    expect(Math.max(...timeouts)).toBeLessThanOrEqual(25);
  });

  it('has logs that end', () => {
    const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
    const apis = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    template.resourceCountIs('AWS::Logs::LogGroup', functions.length + apis.length);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
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
