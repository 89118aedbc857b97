import { readProofOptions } from '../setup/proof-options.ts';
import { describeFailure, replay } from './explorer.ts';

/** Runs one schedule again, as a failed proof prints it. */
const [name = '', budget = '{}', choices = '[]'] = readProofOptions({
  command: 'npm run replay',
  about: 'Runs one schedule again, step by step, as a failed proof prints it.',
  options: {},
  positionals: ['scenario', 'budget', 'choices'],
}).positionals;
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
const { SCENARIOS } = await import('./scenarios.ts');
const scenario = SCENARIOS.find((candidate) => candidate.name === name);
if (scenario === undefined) {
  console.error(
    `There is no scenario "${name}". There are:\n${SCENARIOS.map((known) => `  ${known.name}`).join('\n')}`,
  );
  process.exitCode = 2;
} else {
  const { scheduler, failure } = await replay({ ...scenario, budget: JSON.parse(budget) }, JSON.parse(choices));
  for (const step of scheduler.steps) console.log(`${step.process}: ${step.label} → ${step.fate}`);
  console.log(failure === undefined ? 'Nothing is wrong.' : describeFailure(failure));
  process.exitCode = failure === undefined ? 0 : 1;
}
