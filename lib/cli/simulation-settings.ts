import type { SimulationSettings } from '../simulation/run-approach.ts';
import { type Input, type Option, textOption } from './command.ts';
import { UsageError } from './usage-error.ts';

/** With more than this hardly anything arrives, and the senders would go on for ever. */
const WORST = 0.9;
const MOST_MESSAGES = 1_000_000;
const SEEDS = 2 ** 32;

const DEFAULTS = { drop: 0.3, duplicate: 0.3, reorder: 0.2, crash: 0.01, messages: 10_000, senders: 10 } as const;

const probability = (name: 'drop' | 'duplicate' | 'reorder' | 'crash', what: string): Option => ({
  type: 'string',
  value: `<0…${WORST}>`,
  help: `How likely ${what}. Default: ${DEFAULTS[name]}.`,
});

export const SIMULATION_OPTIONS: Readonly<Record<string, Option>> = {
  drop: probability('drop', 'a message, or its acknowledgement, never arrives'),
  duplicate: probability('duplicate', 'a message arrives twice'),
  reorder: probability('reorder', 'a message arrives after later ones'),
  crash: probability('crash', 'the consumer dies while it works on a message'),
  messages: { type: 'string', value: '<count>', help: `How many messages there are. Default: ${DEFAULTS.messages}.` },
  senders: { type: 'string', value: '<count>', help: `How many senders share them. Default: ${DEFAULTS.senders}.` },
  seed: { type: 'string', value: '<number>', help: 'Repeats the run with this seed. Default: a new one.' },
};

/**
 * Reads what to simulate.
 * @throws UsageError for a value that is none
 */
export function simulationSettings(input: Input): SimulationSettings {
  const chance = (name: 'drop' | 'duplicate' | 'reorder' | 'crash'): number =>
    numberOption(input, name, DEFAULTS[name], `from 0 to ${WORST}`, (value) => value >= 0 && value <= WORST);
  const count = (name: string, byDefault: number, least: number, most: number, why = ''): number =>
    numberOption(
      input,
      name,
      byDefault,
      `a whole number from ${least} to ${most}${why}`,
      (value) => Number.isInteger(value) && value >= least && value <= most,
    );
  const messages = count('messages', DEFAULTS.messages, 1, MOST_MESSAGES);
  return {
    drop: chance('drop'),
    duplicate: chance('duplicate'),
    reorder: chance('reorder'),
    crash: chance('crash'),
    messages,
    senders: count('senders', Math.min(DEFAULTS.senders, messages), 1, messages, ', the --messages'),
    seed: count('seed', Math.floor(Math.random() * SEEDS), 0, SEEDS - 1),
  };
}

/** The options that repeat a run. @example '--drop 0.3 … --seed 7' */
export const simulationOptions = (settings: SimulationSettings): string =>
  Object.keys(SIMULATION_OPTIONS)
    .map((name) => `--${name} ${settings[name as keyof SimulationSettings]}`)
    .join(' ');

function numberOption(
  input: Input,
  name: string,
  byDefault: number,
  range: string,
  fits: (value: number) => boolean,
): number {
  const text = textOption(input, name);
  if (text === undefined) return byDefault;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (fits(value)) return value;
  throw new UsageError(`--${name} is "${text}", which is not ${range}.`);
}
