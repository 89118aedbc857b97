import { describe, expect, it } from 'vitest';
import { isAllowed, readPolicies } from '../../lib/local/iam.ts';
import { modelStack } from '../../lib/local/stack-model.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/orders';
const place = {
  stackName: 'Tiny',
  region: 'us-east-1',
  account: '123456789012',
  suffix: '',
  apiUrls: new Map(),
  proxyUrl: '',
};
const ROLE_ARN = 'arn:aws:iam::123456789012:role/Tiny-Role';

const policiesOf = (
  role: object,
  others: Record<string, { Type: string; Properties: Record<string, unknown> }> = {},
) => {
  const template = { Resources: { Role: { Type: 'AWS::IAM::Role', Properties: { ...role } }, ...others } };
  return readPolicies(modelStack({ stackName: 'Tiny', template, assets: new Map() }, place)).get(ROLE_ARN);
};
const allow = (Action: unknown, Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
const inline = (statement: object) => ({ Policies: [{ PolicyName: 'p', PolicyDocument: { Statement: [statement] } }] });

describe('isAllowed', () => {
  it.each<[string | string[], string | string[], string, string, boolean]>([
    ['dynamodb:GetItem', TABLE, 'dynamodb:GetItem', TABLE, true],
    ['dynamodb:GetItem', TABLE, 'dynamodb:PutItem', TABLE, false],
    ['dynamodb:GetItem', TABLE, 'dynamodb:GetItem', `${TABLE}-2`, false],
    ['dynamodb:GetItem', TABLE, 'dynamodb:GetItem', `${TABLE}/index/byOwner`, false],
    ['dynamodb:Query', `${TABLE}/index/*`, 'dynamodb:Query', `${TABLE}/index/byOwner`, true],
    ['dynamodb:Query', `${TABLE}/index/*`, 'dynamodb:Query', TABLE, false],
    ['dynamodb:*Item', '*', 'dynamodb:ConditionCheckItem', TABLE, true],
    ['dynamodb:*Item', '*', 'dynamodb:Query', TABLE, false],
    ['DynamoDB:getitem', TABLE, 'dynamodb:GetItem', TABLE, true],
    ['dynamodb:GetItem', TABLE.toUpperCase(), 'dynamodb:GetItem', TABLE, false],
    ['dynamodb:Ge?Item', TABLE, 'dynamodb:GetItem', TABLE, true],
    ['*', TABLE, 'dynamodb:DeleteTable', TABLE, true],
    [['dynamodb:GetItem', 'dynamodb:PutItem'], ['arn:other', TABLE], 'dynamodb:PutItem', TABLE, true],
    ['dynamodb:Get.te?', TABLE, 'dynamodb:GetItem', TABLE, false],
  ])('Allow %j on %j: %s on %s is %s', (actions, resources, action, resource, expected) => {
    expect(isAllowed([{ actions: [actions].flat(), resources: [resources].flat() }], action, resource)).toBe(expected);
  });

  it('denies what nothing allows', () => {
    expect(isAllowed([], 'dynamodb:GetItem', TABLE)).toBe(false);
  });
});

describe('readPolicies', () => {
  it('collects inline, attached and managed policies of a role', () => {
    const document = (action: string) => ({ Statement: allow(action, TABLE) });
    const policies = policiesOf(
      {
        ...inline(allow(['dynamodb:GetItem'], TABLE)),
        ManagedPolicyArns: [{ Ref: 'Named' }, 'arn:aws:iam::aws:policy/AWSXRayDaemonWriteAccess'],
      },
      {
        Attached: {
          Type: 'AWS::IAM::Policy',
          Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: document('a:A') },
        },
        Named: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: document('b:B') } },
        Naming: {
          Type: 'AWS::IAM::ManagedPolicy',
          Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: document('c:C') },
        },
        OfOthers: { Type: 'AWS::IAM::Policy', Properties: { Roles: ['another'], PolicyDocument: document('d:D') } },
      },
    );
    expect(policies?.flatMap(({ actions }) => actions)).toEqual(['dynamodb:GetItem', 'a:A', 'b:B', 'c:C']);
  });

  it('keeps what concerns other services', () => {
    expect(policiesOf(inline(allow('logs:PutLogEvents', '*')))).toEqual([
      { actions: ['logs:PutLogEvents'], resources: ['*'] },
    ]);
  });

  it.each<[string, object]>([
    ['Condition', inline({ ...allow('dynamodb:GetItem', TABLE), Condition: { Bool: {} } })],
    ['NotAction', inline({ Effect: 'Allow', NotAction: 'dynamodb:GetItem', Resource: TABLE })],
    ['NotResource', inline({ Effect: 'Allow', Action: 'dynamodb:GetItem', NotResource: TABLE })],
    ['Effect "Deny"', inline({ ...allow('dynamodb:GetItem', TABLE), Effect: 'Deny' })],
    ['permissions boundary', { PermissionsBoundary: 'arn:x' }],
    ['AmazonDynamoDBFullAccess', { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess'] }],
  ])('refuses %s', (reason, role) => {
    expect(() => policiesOf(role)).toThrow(reason);
  });
});
