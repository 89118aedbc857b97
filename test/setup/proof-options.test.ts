import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';

const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
const proofs = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^node (test\/\S+\.ts)$/.exec(script) ?? [];
  return file === undefined ? [] : [{ name, file }];
});

const run = (file: string, ...args: readonly string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [file, ...args], { cwd: PROJECT_ROOT }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

describe('the proofs', () => {
  it('are found', () => {
    expect(proofs.map(({ name }) => name)).toEqual([
      ...['prove', 'prove:messages', 'prove:outage', 'replay', 'bench', 'model', 'soak', 'mutants', 'mutants:protocol'],
    ]);
  });

  it.each(proofs)(
    'npm run $name explains itself, and refuses what it does not know in one line',
    async ({ name, file }) => {
      const [helped, refused] = await Promise.all([run(file, '--help'), run(file, '--nonsense')]);
      expect(helped).toEqual({ code: 0, stdout: expect.stringMatching(`^Usage: npm run ${name}\\b`), stderr: '' });
      expect(refused).toEqual({
        ...{ code: 2, stdout: '' },
        stderr: `Unknown option '--nonsense'. "npm run ${name} -- --help" explains it.\n`,
      });
    },
  );

  it('refuse a number that is none, and an argument that nobody asks for', async () => {
    expect((await run('test/soak/run.ts', '--minutes', 'ten')).stderr).toMatch(
      /^--minutes is "ten", which is not a number\. "/,
    );
    expect((await run('test/soak/run.ts', '--minutes', '-1')).stderr).toMatch(
      /^--minutes is "-1", which is not a number\. "/,
    );
    expect((await run('test/soak/run.ts', 'ten')).stderr).toMatch(/^"ten" is one argument too many\. "/);
  });

  it('fail where nothing matches what is asked for', async () => {
    const mutants = await run('test/mutants/run.ts', 'nonsense');
    expect(mutants).toEqual({ code: 1, stdout: '', stderr: 'The name of no mutation has "nonsense" in it.\n' });
    const prove = await run('test/crash/prove.ts', '--only', 'nonsense');
    expect(prove).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No scenario matches "nonsense"\. There are:\n/),
    });
  });
});
