import { capacityReport, measuredReport } from './capacity-report.ts';
import { CAPACITY_OPTIONS, capacitySettings } from './capacity-settings.ts';
import type { Command } from './command.ts';
import { findTable, tableOptions } from './find-table.ts';
import { measureTable } from './measure-table.ts';

/** `semel capacity`: what a load means for the tables and what it costs. */
export const capacity: Command = {
  name: 'capacity',
  summary: 'Work out storage, throughput and cost.',
  description: `Multiplies out how many keys live at a time, what they take to store, how many requests a second to plan for, and
what DynamoDB asks for that in a month. Nothing is asked of AWS, unless with --measure: then a sample of a running
table says how large records are, how long they are kept, and how many there are; options that are given go before it.`,
  positionals: [],
  options: {
    ...CAPACITY_OPTIONS,
    measure: { type: 'boolean', help: 'Take sizes and mix from a running table.' },
    ...tableOptions('idempotency'),
  },
  examples: [
    'semel capacity --per-day 10e6 --retention 7d --record 1.5KB --overhead 2.5 --peak 8 --margin 2',
    'semel capacity --measure --peak 8',
  ],
  async run(input, terminal) {
    if (input.options.measure !== true) return terminal.print(capacityReport(capacitySettings(input)));
    const found = findTable('idempotency', input);
    const measured = await measureTable(found);
    terminal.explain(`From ${found.description}:`);
    terminal.print(`${measuredReport(measured)}\n\n${capacityReport(capacitySettings(input, measured))}`);
  },
};
