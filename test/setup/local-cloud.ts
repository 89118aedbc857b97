import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import type { WebhookSecrets } from '../../lib/cli/webhook-secrets.ts';
import type { LocalCloud } from '../../lib/local/start.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The local cloud that the tests over HTTP share, and the assembly for a test that needs a cloud of its own. */
    cloud: Pick<LocalCloud, 'url' | 'dynamodbEndpoint' | 'tableNames'> & {
      readonly assembly: string;
      readonly webhookSecrets: WebhookSecrets;
    };
  }
}

/** Synthesized and started only for tests that talk to it: the others need not wait for it. */
const OVER_HTTP = /\/test\/(cloud|browser)\//;

/** Runs the whole stack once for the test run, on the run's DynamoDB Local. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { testFiles } = await project.globTestFiles(chosenFiles(project));
  if (!testFiles.some((path) => OVER_HTTP.test(path))) return async () => {};
  const { startLocalCloud } = await import('../../lib/local/start.ts');
  const { localSeed } = await import('../../lib/cli/local-seed.ts');
  const { localWebhookSecrets, webhookEnvironment } = await import('../../lib/cli/webhook-secrets.ts');
  const webhookSecrets = localWebhookSecrets();
  const assembly = mkdtempSync(join(tmpdir(), 'semel-assembly-'));
  await synthesize(assembly);
  const cloud = await startLocalCloud({
    assembly,
    port: 0,
    dynamodbEndpoint: project.getProvidedContext().dynamodb,
    seed: localSeed(),
    environment: webhookEnvironment(webhookSecrets),
  });
  const { url, dynamodbEndpoint, tableNames } = cloud;
  project.provide('cloud', { url, dynamodbEndpoint, tableNames, assembly, webhookSecrets });
  return async () => {
    await cloud.stop();
    rmSync(assembly, { recursive: true, force: true });
  };
}

/** What the command line chose; vitest keeps that to itself, and without it the cloud is started too often, not too seldom. */
const chosenFiles = ({ vitest }: TestProject): string[] | undefined =>
  (vitest as unknown as { readonly filenamePattern?: string[] }).filenamePattern;

/** The app itself, bundles included, without the checks that the tests of the stack make. */
async function synthesize(directory: string): Promise<void> {
  const { context } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'cdk.json'), 'utf8'));
  const env = {
    ...process.env,
    CDK_OUTDIR: directory,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: 'false',
  };
  await promisify(execFile)(process.execPath, ['bin/app.ts'], { cwd: PROJECT_ROOT, env });
}
