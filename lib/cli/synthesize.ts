import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';
import { CommandError } from './usage-error.ts';

/** The wallet's, which is part of the checkout but not of the package. */
const APP = join('bin', 'app.ts');
const NO_CHECKOUT =
  'The wallet is started from a checkout of Semel. A stack of your own is run by startLocalCloud of semel/testing; ' +
  'examples/minimal/local.ts shows how.';

/**
 * Synthesizes the CDK app into a directory and bundles its functions; offline.
 *
 * Runs the app the way the CDK's command line does, less the checks of the template: `npm run synth` makes those
 * before a deployment, and they take longer than everything else.
 * @throws CommandError with what the app printed, when it does not synthesize; or outside of a checkout
 */
export async function synthesize(assembly: string, interrupted?: AbortSignal): Promise<void> {
  if (!existsSync(join(PROJECT_ROOT, APP))) throw new CommandError(NO_CHECKOUT);
  const { status, printed } = await runApp(assembly, interrupted);
  interrupted?.throwIfAborted();
  if (status !== 0) throw new CommandError(`The stack does not synthesize:\n${printed.trim()}`);
}

function runApp(
  assembly: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number | null; printed: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [APP], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, ...appEnvironment(assembly) },
      stdio: 'pipe',
      ...(signal === undefined ? {} : { signal }),
    });
    let printed = '';
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    child.once('error', (error) => (signal?.aborted ? resolve({ status: null, printed }) : reject(error)));
    child.once('close', (status) => resolve({ status, printed }));
  });
}

/** The CDK's protocol between its command line and an app, and a PATH on which bundling finds its tools. */
function appEnvironment(assembly: string): Record<string, string> {
  const { context } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'cdk.json'), 'utf8'));
  const path = [dirname(process.execPath), join(PROJECT_ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''];
  return {
    CDK_OUTDIR: assembly,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: 'false',
    PATH: path.join(delimiter),
  };
}
