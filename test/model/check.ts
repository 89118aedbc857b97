import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProofOptions } from '../setup/proof-options.ts';

/** What Spin says about one variant of the model. */
interface Verdict {
  readonly errors: number;
  readonly states: number;
  /** Which assertion, where there is an error. */
  readonly violated: string | undefined;
  /** Lines of the model that nothing ever reaches: they would be proven for nothing. */
  readonly unreached: number;
}

/** Far more than any run of the model is long. */
const DEPTH = '-m20000';
/** What Spin says when it has not seen everything. */
const INCOMPLETE = /max search depth too small|out of memory|search was not completed/i;

function run(directory: string, command: string, ...args: readonly string[]): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: directory, encoding: 'utf8' });
  if (error && 'code' in error && error.code === 'ENOENT') {
    throw new Error(`${command} is not installed. Debian, Ubuntu: sudo apt-get install -y spin gcc`);
  }
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Translates the model into a program that tries every interleaving, and runs it. */
function check(definitions: readonly string[]): Verdict {
  const directory = mkdtempSync(join(tmpdir(), 'semel-model-'));
  try {
    copyFileSync(join(import.meta.dirname, 'claim.pml'), join(directory, 'claim.pml'));
    run(directory, 'spin', ...definitions, '-a', 'claim.pml');
    run(directory, 'gcc', '-O2', '-DSAFETY', '-DCOLLAPSE', '-w', '-o', 'pan', 'pan.c');
    const told = run(directory, './pan', DEPTH);
    const errors = Number(/errors: (\d+)/.exec(told)?.[1] ?? Number.NaN);
    if (Number.isNaN(errors) || (errors === 0 && INCOMPLETE.test(told))) throw new Error(`No verdict:\n${told}`);
    return {
      errors,
      states: Number(/(\d+) states, stored/.exec(told)?.[1]),
      violated: /assertion violated \((.+?)\) \(at/.exec(told)?.[1],
      unreached: [...told.matchAll(/\((\d+) of \d+ states\)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The model must hold with the fences and break without them; either alone would prove little. */
function judge(fenced: Verdict, unfenced: Verdict): readonly string[] {
  const wrong: string[] = [];
  if (fenced.errors !== 0) wrong.push(`With the fences ${fenced.violated ?? 'something'} does not hold.`);
  if (fenced.unreached !== 0) wrong.push(`${fenced.unreached} steps of the model are never reached.`);
  if (unfenced.errors === 0) wrong.push('Without the fences nothing breaks: the model does not see what they are for.');
  return wrong;
}

const { values } = readProofOptions({
  command: 'npm run model',
  about: 'Lets Spin try every interleaving of the model of a leased operation, with its fences and without.',
  options: { faults: [2, 'How many faults.'], tries: [2, 'How often each process comes by.'] },
});
const size = [`-DFAULTS=${values.faults}`, `-DTRIES=${values.tries}`];
const fenced = check(size);
console.log(`with fences: ${fenced.states} states, ${fenced.errors} errors`);
const unfenced = check([...size, '-DUNFENCED']);
console.log(`without:     ${unfenced.errors} errors (${unfenced.violated ?? 'nothing'} violated), as it must be`);
const wrong = judge(fenced, unfenced);
for (const sentence of wrong) console.error(sentence);
console.log(
  `3 processes, ${values.tries} tries each, ${values.faults} faults: ${wrong.length === 0 ? 'holds' : 'FAILED'}`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
