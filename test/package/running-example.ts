import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Project, searchPath } from './installed-package.ts';

/** Synthesizes the example with its own copy of the package and starts it as its README says. */
export async function startExample(project: Project) {
  await project.run('node', ['app.ts'], { CDK_OUTDIR: join(project.folder, 'cdk.out'), CDK_VALIDATION: 'false' });
  const env = { ...process.env, PATH: searchPath(project.folder), PORT: '0' };
  const child = spawn('node', ['local.ts'], { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(child, 'exit');
  const url = await Promise.race([
    readUrl(child.stdout),
    exited.then(() => Promise.reject(new Error(`The example ended at its start:\n${said}`))),
  ]);
  return {
    createNote: async (key: string, text: string) => {
      const response = await fetch(`${url}/notes`, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer sk_local_alice',
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify({ text }),
      });
      const { status, headers } = response;
      const location = headers.get('Location');
      return { status, location, replayed: headers.get('Idempotent-Replayed'), body: await response.text() };
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\/\/\S+?(?=;)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The example printed no address.');
}
