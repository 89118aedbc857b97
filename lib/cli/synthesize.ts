import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';
import { CommandError } from './usage-error.ts';

/**
 * Synthesizes the CDK app and bundles its functions, as a deployment would; offline.
 * @returns the directory of the cloud assembly
 * @throws CommandError with what the CDK printed, when the app does not synthesize
 */
export async function synthesize(name: string, interrupted: AbortSignal): Promise<string> {
  const assembly = join(PROJECT_ROOT, '.semel', `assembly-${name}`);
  const { status, printed } = await run(
    [cdkProgram(), 'synth', '--quiet', '--no-notices', '--output', assembly],
    interrupted,
  );
  interrupted.throwIfAborted();
  if (status !== 0) throw new CommandError(`The stack does not synthesize:\n${printed.trim()}`);
  return assembly;
}

const cdkProgram = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

function run(argv: readonly string[], signal: AbortSignal): Promise<{ status: number | null; printed: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { cwd: PROJECT_ROOT, env: cdkEnvironment(), signal, stdio: 'pipe' });
    let printed = '';
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    child.once('error', (error) => (signal.aborted ? resolve({ status: null, printed }) : reject(error)));
    child.once('close', (status) => resolve({ status, printed }));
  });
}

/** The app runs as `node bin/app.ts`: on this Node, not on whichever the PATH names first. */
function cdkEnvironment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(PROJECT_ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''];
  return { ...process.env, PATH: path.join(delimiter), CDK_DISABLE_CLI_TELEMETRY: 'true' };
}
