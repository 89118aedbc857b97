import { readFileSync } from 'node:fs';
import { App, type AppProps, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';

// The templates are looked at here; `npm run synth` validates them, which takes seconds.
process.env.CDK_VALIDATION = 'false';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: AppProps['context'] };

/** An app with the feature flags of the real one, which leaves the functions' code unbundled: 0.1 s instead of 5. */
export const unbundledApp = (): App => new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } });

/** The template of a stack that holds what `build` puts into it. */
export const synthesize = (build: (stack: Stack) => void): Template => {
  const stack = new Stack(unbundledApp(), 'Test');
  build(stack);
  return Template.fromStack(stack);
};

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** Every statement that any role is given. */
export const statements = (template: Template): Statement[] =>
  Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    (policy): Statement[] => policy.Properties.PolicyDocument.Statement,
  );

/** The statements about one service. @example statementsFor(template, 'dynamodb') */
export const statementsFor = (template: Template, service: string): Statement[] =>
  statements(template).filter(({ Action }) => [Action].flat().some((action) => action.startsWith(`${service}:`)));

/** The environment of the only function whose logical id starts with `prefix`. */
export const environmentOf = (template: Template, prefix: string): Record<string, unknown> => {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const found = functions.filter(([id]) => id.startsWith(prefix));
  if (found.length !== 1) throw new Error(`${found.length} functions start with ${prefix}`);
  return found[0]?.[1].Properties.Environment.Variables;
};
