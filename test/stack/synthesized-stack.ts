import { Match, Template } from 'aws-cdk-lib/assertions';
import { SemelStack, type SemelStackProps } from '../../lib/stack.ts';
import { unbundledApp } from '../constructs/synthesize.ts';

export const synthesizeStack = (props: SemelStackProps = {}): Template =>
  Template.fromStack(new SemelStack(unbundledApp(), 'Semel', props));

/** The stack as it is by default. */
export const template = synthesizeStack();

const tableWith = (key: string): string =>
  Object.keys(
    template.findResources('AWS::DynamoDB::Table', {
      Properties: { GlobalSecondaryIndexes: Match.arrayWith([Match.objectLike({ IndexName: key })]) },
    }),
  )[0] ?? '';
/** Logical ids. */
export const data = tableWith('byDebtor');
export const records = tableWith('unfinished');
export const providerTable =
  Object.keys(template.findResources('AWS::DynamoDB::Table')).find((id) => id.startsWith('SandboxProvider')) ?? '';
export const providerApi =
  Object.keys(template.findResources('AWS::ApiGatewayV2::Api')).find((id) => id.startsWith('SandboxProvider')) ?? '';
export const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
