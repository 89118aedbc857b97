// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Fn::Sub writes its variables like this.
import { describe, expect, it } from 'vitest';
import { createResolver, holds } from '../../lib/local/intrinsics.ts';
import type { Template } from '../../lib/local/template.ts';

const template: Template = {
  Resources: {},
  Conditions: {
    Production: { 'Fn::Equals': [{ Ref: 'Stage' }, 'production'] },
    Elsewhere: { 'Fn::Not': [{ Condition: 'Production' }] },
    Both: { 'Fn::And': [{ Condition: 'Production' }, { Condition: 'Elsewhere' }] },
    Either: { 'Fn::Or': [{ Condition: 'Production' }, { Condition: 'Elsewhere' }] },
  },
  Mappings: { Sizes: { 'us-east-1': { memory: 512 } } },
  Parameters: {
    Stage: { Type: 'String', Default: 'test' },
    Bootstrap: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/cdk' },
    Unset: { Type: 'String' },
  },
};
const identities = new Map([['Table', { ref: 'the-table', attributes: { Arn: 'arn:table', 'Nested.Name': 'deep' } }]]);
const resolve = createResolver({ template, identities, pseudo: { 'AWS::Region': 'us-east-1' } });

describe('the resolver', () => {
  it.each<[string, unknown, unknown]>([
    ['plain values', { a: [1, 'b', null, true] }, { a: [1, 'b', null, true] }],
    ['Ref of a resource', { Ref: 'Table' }, 'the-table'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Ref of a parameter with a default', { Ref: 'Stage' }, 'test'],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:table'],
    ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Table.Nested.Name' }, 'deep'],
    ['Fn::Join', { 'Fn::Join': ['/', ['a', { Ref: 'Table' }]] }, 'a/the-table'],
    ['Fn::Split and Fn::Select', { 'Fn::Select': ['1', { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    [
      'Fn::Sub',
      { 'Fn::Sub': '${Table} ${Table.Arn} ${AWS::Region} ${!kept}' },
      'the-table arn:table us-east-1 ${kept}',
    ],
    ['Fn::Sub with variables', { 'Fn::Sub': ['${x}-${Stage}', { x: { Ref: 'Table' } }] }, 'the-table-test'],
    ['Fn::If', { 'Fn::If': ['Production', 'yes', { Ref: 'Table' }] }, 'the-table'],
    ['Fn::FindInMap', { 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'memory'] }, 512],
    ['AWS::NoValue in an object', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['AWS::NoValue in a list', [1, { 'Fn::If': ['Production', 2, { Ref: 'AWS::NoValue' }] }], [1]],
    ["a statement's Condition, which is no intrinsic", { Condition: { Bool: {} } }, { Condition: { Bool: {} } }],
  ])('understands %s', (_, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [{ 'Fn::ImportValue': 'x' }, 'Fn::ImportValue is not understood here'],
    [{ a: [{ 'Fn::Base64': 'x' }] }, 'Fn::Base64 is not understood here'],
    [{ Ref: 'Nowhere' }, 'Nowhere'],
    [{ Ref: 'Bootstrap' }, 'only plain defaults'],
    [{ Ref: 'Unset' }, 'only plain defaults'],
    [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, 'Table.StreamArn'],
    [{ 'Fn::GetAtt': ['Nowhere', 'Arn'] }, 'Nowhere.Arn'],
    [{ 'Fn::Sub': '${Nowhere.Arn}' }, 'Nowhere.Arn'],
    [{ 'Fn::FindInMap': ['Sizes', 'mars', 'memory'] }, 'Sizes.mars.memory'],
    [{ 'Fn::If': ['Nothing', 1, 2] }, 'unknown condition: Nothing'],
  ])('refuses %j', (value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });

  it('decides conditions', () => {
    const decided = ['Production', 'Elsewhere', 'Both', 'Either', undefined].map((name) =>
      holds(name, { template }, resolve),
    );
    expect(decided).toEqual([false, true, false, true, true]);
  });
});
