import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { environmentOf } from '../constructs/synthesize.ts';
import { arn, providerApi, providerTable, synthesizeStack, template } from './synthesized-stack.ts';

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
