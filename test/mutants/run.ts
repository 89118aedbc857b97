import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProofOptions } from '../setup/proof-options.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** Enough for every mutation of the table; one that needs more would be found too seldom to trust. */
const SCHEDULES = '4000';
const ROOT = join(import.meta.dirname, '..', '..');

/** Takes one thing away at a time, in a copy, and runs the proof that must notice. */
function survives(copy: string, { name, file, find, replace, noticedBy }: Mutation): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(find)) throw new Error(`${file} no longer says: ${find}`);
  writeFileSync(path, source.replace(find, replace));
  try {
    const args =
      'scenarios' in noticedBy
        ? ['test/crash/prove.ts', '--schedules', SCHEDULES, '--only', noticedBy.scenarios]
        : [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--bail', '1', ...noticedBy.tests];
    const { status, signal } = spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: 300_000 });
    // A proof that was ended from outside has noticed nothing.
    if (signal === 'SIGKILL') throw new Error(`Something ended the proof of "${name}".`);
    return status === 0 && signal === null;
  } finally {
    writeFileSync(path, source);
  }
}

const { positionals } = readProofOptions({
  command: 'npm run mutants',
  about: 'Takes one condition, fence or token away at a time, and checks that the proof named for it fails.',
  options: {},
  positionals: ['part of a name'],
});
const [part = ''] = positionals;
const wanted = MUTATIONS.filter(({ name }) => name.includes(part));
if (wanted.length === 0) {
  console.error(`The name of no mutation has "${part}" in it.`);
  process.exit(1);
}
const copy = mkdtempSync(join(tmpdir(), 'semel-mutants-'));
for (const name of [
  'lib',
  'functions',
  'test',
  'bin',
  'package.json',
  'vitest.config.ts',
  'tsconfig.json',
  'cdk.json',
]) {
  cpSync(join(ROOT, name), join(copy, name), { recursive: true });
}
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const survivors: string[] = [];
for (const [index, mutation] of wanted.entries()) {
  const alive = survives(copy, mutation);
  if (alive) survivors.push(mutation.name);
  console.log(`${String(index + 1).padStart(2)}/${wanted.length} ${alive ? 'SURVIVED' : 'killed  '} ${mutation.name}`);
}
rmSync(copy, { recursive: true, force: true });
console.log(`${wanted.length - survivors.length} killed of ${wanted.length}`);
process.exitCode = survivors.length === 0 ? 0 : 1;
