import type { Load } from '../capacity/plan-load.ts';
import { type Input, type Option, textOption } from './command.ts';
import type { Measured } from './measure-table.ts';
import { COUNT, DURATION, readQuantity, SHARE, SIZE } from './quantity.ts';
import { UsageError } from './usage-error.ts';

/** What the arithmetic starts from. */
export interface CapacitySettings extends Load {
  /** How many items a plan writes beside the record. */
  readonly effects: number;
  /** How many retries come for each new request. */
  readonly retries: number;
}

/** Each option: how it is read, how it is written, and what is assumed without it. */
const SETTINGS = {
  perDay: { option: 'per-day', units: COUNT, written: '10e6', initial: '1e6', help: 'New keys a day' },
  retentionDays: {
    option: 'retention',
    units: DURATION,
    written: '7d or 24h',
    initial: '24h',
    help: 'How long they are kept',
  },
  recordBytes: {
    option: 'record',
    units: SIZE,
    written: '1.5KB',
    initial: '1KB',
    help: 'The size of a record with its reply',
  },
  overhead: {
    option: 'overhead',
    units: COUNT,
    written: '2.5',
    initial: '1.5',
    help: 'Bytes stored for each byte of a record',
  },
  peak: { option: 'peak', units: COUNT, written: '8', initial: '4', help: 'The busiest second, in averages' },
  margin: { option: 'margin', units: COUNT, written: '2', initial: '2', help: 'What to plan for, in peaks' },
  effects: {
    option: 'effects',
    units: COUNT,
    written: '3',
    initial: '3',
    help: 'Items of up to 1 KB that a plan writes beside the record',
  },
  retries: { option: 'retries', units: SHARE, written: '5%', initial: '5%', help: 'Retries for each new request' },
} as const;

type Setting = keyof typeof SETTINGS;

export const CAPACITY_OPTIONS: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.values(SETTINGS).map(({ option, written, initial, help }) => [
    option,
    { type: 'string', value: `<${written}>`, help: `${help}. Default: ${initial}.` },
  ]),
);

/** Quantities of which none makes sense at all. */
const MAY_BE_NOTHING: readonly Setting[] = ['effects', 'retries'];

/**
 * Reads the options; what was measured stands in for those that were not given.
 * @throws UsageError for a value that is none
 */
export function capacitySettings(input: Input, measured?: Measured): CapacitySettings {
  const known: Partial<Record<Setting, number>> = measured === undefined ? {} : measuredSettings(measured);
  const names = Object.keys(SETTINGS) as Setting[];
  return Object.fromEntries(names.map((name) => [name, read(name, input, known[name])])) as unknown as CapacitySettings;
}

function read(name: Setting, input: Input, measured: number | undefined): number {
  const { option, units, written, initial } = SETTINGS[name];
  const given = textOption(input, option);
  if (given === undefined && measured !== undefined) return measured;
  const value = readQuantity(`--${option}`, given ?? initial, units, written);
  if (units === SHARE && value > 1 && !given?.includes('%')) {
    throw new UsageError(`--${option} is "${given}"; a share above 1 is written with %, like ${written}.`);
  }
  if (value > 0 || MAY_BE_NOTHING.includes(name)) return value;
  throw new UsageError(`--${option} is "${given}"; it must be more than 0.`);
}

/** Records that are alive at any moment are as many as come in during their retention. */
function measuredSettings({ kinds, liveItems, retentionDays }: Measured): Partial<Record<Setting, number>> {
  const { record } = kinds;
  if (record === undefined || retentionDays === undefined) return {};
  return { recordBytes: record.bytes, retentionDays, perDay: (liveItems * record.share) / retentionDays };
}
