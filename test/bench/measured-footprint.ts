import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { median } from './percentile.ts';

/** What a function weighs and how long it takes to load. */
export interface Footprint {
  readonly subject: string;
  readonly bytes: number;
  /** The median over fresh processes, in milliseconds. */
  readonly importTime: number;
}

const ENTRIES: Readonly<Record<string, string>> = {
  naive: 'test/bench/functions/naive.ts',
  'powertools, without log and metric': 'test/bench/functions/powertools-bare.ts',
  powertools: 'test/bench/functions/powertools.ts',
  semel: 'functions/transfers.ts',
};

/** Bundles each function as the stack does and loads it in processes of its own, in turn. */
export async function measureFootprint(rounds: number): Promise<readonly Footprint[]> {
  const directory = mkdtempSync(join(tmpdir(), 'semel-bundles-'));
  try {
    const bundles = await Promise.all(
      Object.entries(ENTRIES).map(async ([subject, entry], index) => {
        const file = join(directory, `${index}.mjs`);
        await bundle(entry, file);
        return { subject, file, bytes: statSync(file).size, times: [] as number[] };
      }),
    );
    for (let round = 0; round < rounds; round++) {
      for (const { file, times } of bundles) times.push(await importTime(file));
    }
    return bundles.map(({ subject, bytes, times }) => ({ subject, bytes, importTime: median(times) }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The same settings as the stack's functions have. */
const bundle = (entry: string, outfile: string) =>
  build({
    entryPoints: [join(PROJECT_ROOT, entry)],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    logLevel: 'error',
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
  });

/** What a cold start does before the first request, but for starting Node and reading the code from a disk. */
async function importTime(file: string): Promise<number> {
  const script = `const t=performance.now();await import(${JSON.stringify(file)});console.log(performance.now()-t)`;
  const env = { ...process.env, AWS_REGION: 'eu-central-1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  return Number(stdout.trim().split('\n').at(-1));
}
