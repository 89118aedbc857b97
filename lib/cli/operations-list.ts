import { listUnfinished, type UnfinishedRecord } from '../engine/list-unfinished.ts';
import type { Command } from './command.ts';
import { findRecords, RECORD_TABLE_HELP, RECORD_TABLE_OPTIONS } from './record-engine.ts';
import { textTable } from './text-table.ts';
import { UsageError } from './usage-error.ts';

/** `semel operations list`: what is not over. */
export const operationsList: Command = {
  name: 'operations list',
  summary: 'List the operations that are not over.',
  description: `Lists the operations whose effects leave DynamoDB, such as charges, and that are not over: those first that wait
for a person. Operations that are over are not listed anywhere; look at one with semel operations show.

${RECORD_TABLE_HELP}`,
  positionals: [],
  options: {
    unfinished: { type: 'boolean', help: 'Those that are not over (required, as there is no list of the others).' },
    ...RECORD_TABLE_OPTIONS,
  },
  examples: ['semel operations list --unfinished'],
  async run(input, terminal) {
    if (input.options.unfinished !== true) {
      throw new UsageError('Only operations that are not over are listed. Add --unfinished.');
    }
    const { engine, deadline, description } = findRecords(input);
    const { records, unreadable, more } = await listUnfinished(engine, deadline);
    const count = `${records.length}${more ? ' or more' : ''}`;
    terminal.explain(`${count} unfinished ${records.length === 1 ? 'operation' : 'operations'} in ${description}`);
    for (const reason of unreadable) terminal.explain(`Not shown: ${reason}`);
    const now = engine.surroundings.now();
    if (records.length > 0) terminal.print(textTable([HEAD, ...records.map((record) => rowOf(record, now))]));
  },
};

const HEAD = ['id', 'operation', 'caller', 'status', 'attempts', 'first seen', 'lease', 'reason'];

const rowOf = (record: UnfinishedRecord, now: number): string[] => [
  record.operationId,
  record.operation,
  record.caller,
  record.status,
  String(record.attempt),
  new Date(record.firstSeenAt).toISOString(),
  record.status === 'needs_attention' ? '-' : leaseOf(record.leaseUntil - now),
  record.status === 'needs_attention' ? record.reason : '-',
];

const leaseOf = (left: number): string =>
  left > 0 ? `${Math.ceil(left / 1000)} s left` : `lapsed ${Math.floor(-left / 1000)} s ago`;
