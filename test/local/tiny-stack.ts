import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TemplateResource } from '../../lib/local/template.ts';

const TABLE = { 'Fn::GetAtt': ['Table', 'Arn'] };

/** What the role of the tests' function allows: everything that it does, but for scans and the index `hidden`. */
const POLICY = [
  { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], Resource: TABLE },
  { Effect: 'Allow', Action: 'dynamodb:Query', Resource: { 'Fn::Join': ['', [TABLE, '/index/byAttempt']] } },
];

const key = (...names: string[]) =>
  names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' }));
const index = (IndexName: string) => ({ IndexName, KeySchema: key('attempt'), Projection: { ProjectionType: 'ALL' } });

/** The template of a small stack: one table, one function that runs for at most two seconds, and an API that waits
 * for it, or only 300 ms. */
export const tinyTemplate = (
  statements: readonly object[] = POLICY,
): { Resources: Record<string, TemplateResource> } => ({
  Resources: {
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: ['pk', 'sk', 'attempt'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: key('pk', 'sk'),
        GlobalSecondaryIndexes: [index('byAttempt'), index('hidden')],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } },
    Policy: {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyName: 'p', Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: statements } },
    },
    Function: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: { Ref: 'AWS::StackName' }, S3Key: 'tiny.zip' },
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Timeout: 2,
        MemorySize: 256,
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Environment: { Variables: { DATA_TABLE_NAME: { Ref: 'Table' } } },
      },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
    Integration: integration({}),
    Impatient: integration({ TimeoutInMillis: 300 }),
    Route0: route('ANY /{path}', 'Integration'),
    Route1: route('GET /impatient/{path}', 'Impatient'),
    Logs: { Type: 'AWS::Logs::LogGroup', Properties: {} },
  },
});

const integration = (more: object) => ({
  Type: 'AWS::ApiGatewayV2::Integration',
  Properties: {
    IntegrationType: 'AWS_PROXY',
    IntegrationUri: { 'Fn::GetAtt': ['Function', 'Arn'] },
    PayloadFormatVersion: '2.0',
    ...more,
  },
});

const route = (RouteKey: string, target: string) => ({
  Type: 'AWS::ApiGatewayV2::Route',
  Properties: {
    ApiId: { Ref: 'Api' },
    RouteKey,
    Target: { 'Fn::Join': ['', ['integrations/', { Ref: target }]] },
  },
});

/** Writes an assembly as `cdk synth` would, with a test's function bundled; returns its directory and how to remove it. */
export async function writeAssembly(
  template: object,
  entry = './tiny-function.ts',
): Promise<{ directory: string; remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'semel-assembly-'));
  const write = (name: string, content: object) => writeFileSync(join(directory, name), JSON.stringify(content));
  write('manifest.json', {
    artifacts: {
      'Tiny.assets': { type: 'cdk:asset-manifest', properties: { file: 'Tiny.assets.json' } },
      Tiny: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Tiny.template.json' } },
    },
  });
  write('Tiny.template.json', template);
  write('Tiny.assets.json', {
    files: { tiny: { source: { path: 'asset.tiny' }, destinations: { here: { objectKey: 'tiny.zip' } } } },
  });
  mkdirSync(join(directory, 'asset.tiny'));
  await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    outfile: join(directory, 'asset.tiny', 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire}from'module';const require=createRequire(import.meta.url);" },
  });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
