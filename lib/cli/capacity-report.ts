import { hotKeyLimits } from '../capacity/hot-keys.ts';
import { requestCost, storageCost } from '../capacity/monthly-cost.ts';
import { NEW_TABLE, partitions } from '../capacity/partitions.ts';
import { type LoadPlan, planLoad } from '../capacity/plan-load.ts';
import { PRICES } from '../capacity/prices.ts';
import {
  type CapacityMode,
  hintedRetry,
  NEW_REQUEST,
  type RequestUnits,
  readUnits,
  silentRetry,
  writeUnits,
} from '../capacity/request-units.ts';
import type { CapacitySettings } from './capacity-settings.ts';
import type { Measured } from './measure-table.ts';

const MODES: readonly CapacityMode[] = ['atomic', 'leased', 'message'];

/** What `semel capacity` prints. */
export function capacityReport(settings: CapacitySettings): string {
  const plan = planLoad(settings);
  return [
    `Live keys   ${count(plan.liveKeys)}`,
    `Stored      ${gigabytes(plan.raw)} raw, ${gigabytes(plan.stored)} with everything around it (× ${settings.overhead})`,
    `New keys    ${count(plan.average)} per second on average, ${count(plan.atPeak)} at the peak (× ${settings.peak}), ${count(plan.planned)} to plan for (× ${settings.margin})`,
    '',
    ...partitionLines(settings, plan),
    '',
    ...costLines(settings, plan),
    '',
    'One key, item or shard lies in one partition; more capacity does not help it (per second):',
    ...columns(
      hotKeyLimits(settings.recordBytes).map(({ what, perSecond, because }) => [count(perSecond), what, because]),
    ),
  ].join('\n');
}

/** Semel's own table: that of the effects depends on what they are. */
function partitionLines({ recordBytes }: CapacitySettings, { stored, planned }: LoadPlan): readonly string[] {
  const writes = 2 * writeUnits(recordBytes) * planned;
  const reads = readUnits(recordBytes) * planned;
  const parts = partitions(stored, { writeUnits: writes, readUnits: reads });
  const line = `Semel's table, as planned: ${count(writes)} write units per second, ${parts === 1 ? '1 partition' : `${count(parts)} partitions`}`;
  if (writes <= NEW_TABLE.writeUnits) return [line];
  return [line, `A new table takes ${count(NEW_TABLE.writeUnits)} at once: give it a warm throughput first.`];
}

function costLines(settings: CapacitySettings, plan: LoadPlan): readonly string[] {
  const { perDay, retries } = settings;
  const rates = { perDay, planned: plan.planned };
  const row = (name: string, { requests, writes, reads }: RequestUnits, often: number): readonly string[] => {
    const { onDemand, provisioned } = requestCost({ writes, reads }, rates);
    return [
      name,
      String(requests),
      String(writes),
      String(reads),
      dollars(onDemand * often),
      dollars(provisioned * often),
    ];
  };
  return [
    `A month in US dollars, ${PRICES.region}, prices since ${PRICES.since}, if every key is of one mode (${settings.effects} effects each):`,
    ...columns([
      ['mode', 'requests', 'write units', 'read units', 'on demand', 'provisioned as planned'],
      ...MODES.map((mode) => row(mode, NEW_REQUEST[mode](settings), 1)),
      row(`retries, silent (${percent(retries)})`, silentRetry(settings), retries),
      row(`retries, said to be (${percent(retries)})`, hintedRetry(settings), retries),
    ]),
    `Storage with continuous backups: ${dollars(storageCost(plan.stored))}. Lambda, SQS and the network are not included.`,
  ];
}

/** What `--measure` found. */
export function measuredReport({ liveItems, sampled, kinds, operations, retentionDays }: Measured): string {
  return [
    `Measured: ${count(liveItems)} items, ${count(sampled)} of them looked at`,
    ...columns(
      Object.entries(kinds).map(([kind, { share, bytes }]) => [percent(share), kind, `${count(bytes)} bytes each`]),
    ),
    ...columns(
      Object.entries(operations).map(([operation, share]) => [percent(share), `of the records: ${operation}`]),
    ),
    ...(retentionDays === undefined ? [] : [`Records are kept for ${retentionDays.toFixed(1)} days.`]),
  ].join('\n');
}

/** Numbers to the right, so that their digits stand under each other; words to the left. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = (column: number) => rows.map((row) => row[column] ?? '');
  const widths = rows[0]?.map((_, column) => Math.max(...cells(column).map(({ length }) => length))) ?? [];
  const isNumber = widths.map((_, column) => /^\$?\d[\d,.]*%?$/.test(cells(column).at(-1) ?? ''));
  const align = (cell: string, column: number): string =>
    isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => `  ${row.map(align).join('  ').trimEnd()}`);
}

const MILLION = 1e6;

const count = (value: number): string =>
  value >= MILLION ? `${plain(value / MILLION)} million` : plain(Math.round(value));

const gigabytes = (bytes: number): string => {
  const value = bytes / 1e9;
  return `${plain(value >= 10 ? Math.ceil(Number(value.toPrecision(12))) : value)} GB`;
};

const plain = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
const dollars = (value: number): string => {
  const digits = value < 100 ? 2 : 0;
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};
const percent = (share: number): string => `${plain(share * 100)}%`;
