import { APPROACHES } from '../simulation/approaches.ts';
import { runApproach, type SimulationResult, type SimulationSettings } from '../simulation/run-approach.ts';
import type { Command } from './command.ts';
import { progressBar } from './progress-bar.ts';
import { CALLED_AS } from './project-root.ts';
import { SIMULATION_OPTIONS, simulationOptions, simulationSettings } from './simulation-settings.ts';
import { simulationTable } from './simulation-table.ts';
import { CommandError } from './usage-error.ts';

/** `semel simulate`: what each way of not applying a message twice makes of a bad network. */
export const simulate: Command = {
  name: 'simulate',
  summary: 'Compare ways of applying each message once, over a bad network.',
  description: `Sends messages over a way that drops, doubles and reorders them, to consumers that die now and then, and counts what
each kind of consumer made of them: how many messages were applied, lost and applied again, and what it has to remember
for that. A sender sends again until it gets an acknowledgement, and acknowledgements get lost, too. Nothing leaves this
machine. The seed is printed: the same seed makes the same run.

  no dedupe           applies whatever arrives
  id set              notes each id after it was applied, in a write of its own
  high-water mark     applies what is above the highest number so far
  Bloom filter        like the id set, in a few bits for each id
  Semel, marker each  writes the message's marker and its effect in one transaction
  Semel, sequence     keeps one mark for each sender, and takes no gaps; the sender sends again

docs/choosing.md says which of them is for what.`,
  positionals: [],
  options: SIMULATION_OPTIONS,
  examples: ['semel simulate', 'semel simulate --drop 0.3 --duplicate 0.3 --reorder 0.2 --messages 10000 --seed 7'],
  async run(input, terminal) {
    const settings = simulationSettings(input);
    const results = compare(settings);
    terminal.print(simulationTable(results));
    terminal.explain(`\nAgain: ${CALLED_AS} simulate ${simulationOptions(settings)}`);
    refuseFailure(results);
  },
};

function compare(settings: SimulationSettings): SimulationResult[] {
  const draw = progressBar();
  const results = APPROACHES.map((approach, index) =>
    runApproach(approach, settings, (acknowledged) =>
      draw((index + acknowledged / settings.messages) / APPROACHES.length, approach.name),
    ),
  );
  draw(1, '');
  return results;
}

/** Semel promises more than the others. */
function refuseFailure(results: readonly SimulationResult[]): void {
  const failed = results.filter(({ name, lost, doubled }) => name.startsWith('Semel') && lost + doubled > 0);
  if (failed.length > 0) throw new CommandError(`Not every message was applied once: ${failed[0]?.name}.`);
}
