import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localSeed } from '../../lib/cli/local-seed.ts';
import { progressBar } from '../../lib/cli/progress-bar.ts';
import { synthesize } from '../../lib/cli/synthesize.ts';
import { startLocalCloud } from '../../lib/local/start.ts';
import { readProofOptions } from '../setup/proof-options.ts';
import { Storm } from './storm.ts';
import { Tally } from './tally.ts';

const { values } = readProofOptions({
  command: 'npm run prove:messages',
  about: 'Sends deposits through queues that fail, each up to four times, and counts how often they were credited.',
  options: {
    deposits: [2_000, 'How many deposits.'],
    assembly: ['', 'A directory that cdk synth wrote. Without it the stack is synthesized first.'],
  },
});

const made = values.assembly === '' ? mkdtempSync(join(tmpdir(), 'semel-storm-')) : undefined;
const assembly = made ?? values.assembly;
const tally = new Tally();
const started = Date.now();
if (made !== undefined) await synthesize(made);
const cloud = await startLocalCloud({
  ...{ assembly, port: 0, seed: localSeed(), redeliverAfter: 500, log: (line) => tally.take(line) },
  // The consumers' logs are what is counted.
  environment: { POWERTOOLS_LOG_LEVEL: 'INFO' },
});
try {
  const draw = progressBar();
  const storm = new Storm(cloud, values.deposits, draw);
  const found = await storm.rage();
  draw(1, '');
  console.table({ ...storm.counts, ...tally.counts, ...found });
  console.log(`${Math.round((Date.now() - started) / 1_000)} s, the start of the stack included.`);
  const fine = Object.values(found).every((count) => count === 0);
  console.log(fine ? 'Every event was credited once.' : 'SOMETHING WAS LOST OR DOUBLED.');
  process.exitCode = fine ? 0 : 1;
} finally {
  await cloud.stop();
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}
