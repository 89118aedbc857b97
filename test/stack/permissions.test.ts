import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { statements, statementsFor } from '../constructs/synthesize.ts';
import { arn, data, providerTable, records, template } from './synthesized-stack.ts';

const indexArn = (index: string) => ({ 'Fn::Join': ['', [arn(data), `/index/${index}`]] });

/** What the role of one function may do in DynamoDB. */
const tableStatementsOf = (endpoint: string) => {
  const policies = template.findResources('AWS::IAM::Policy');
  const own = Object.fromEntries(Object.entries(policies).filter(([id]) => id.startsWith(endpoint)));
  expect(Object.keys(own)).toHaveLength(1);
  return statementsFor(Template.fromJSON({ Resources: own }), 'dynamodb');
};

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

  it('hold no wildcard and only allow, but for the streams of one table', () => {
    expect(statements(template).length).toBeGreaterThan(0);
    for (const { Effect, Action, Resource } of statements(template)) {
      expect(Effect).toBe('Allow');
      if (Action === 'dynamodb:ListStreams') {
        expect(Resource).toEqual({ 'Fn::Join': ['', [arn(records), '/stream/*']] });
        continue;
      }
      expect(JSON.stringify([Action, Resource])).not.toContain('*');
    }
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent(), Policies: Match.absent() });
  });
});
