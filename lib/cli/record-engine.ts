import { createEngine, type Engine } from '../engine/engine.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import type { Input } from './command.ts';
import { findTable, tableOptions } from './find-table.ts';

/** The options that say where the records are. */
export const RECORD_TABLE_OPTIONS = tableOptions('idempotency');

/** The paragraph about them, for each command's description. */
export const RECORD_TABLE_HELP = `While a local cloud runs from this checkout, its records are meant. Otherwise those of the deployed stack are,
with the AWS credentials and region of your environment.`;

/** How long a command waits for the store. */
const PATIENCE = 30_000;

/** The engine over the records that the options name, until when it may try, and how to say where that is. */
export function findRecords(input: Input): {
  readonly engine: Engine;
  readonly deadline: Milliseconds;
  readonly description: string;
} {
  const { client, table, description } = findTable('idempotency', input);
  // Nothing here has effects of its own, so there is no other table.
  const engine = createEngine({ store: { client, table, dataTable: table } });
  return { engine, deadline: milliseconds(Date.now() + PATIENCE), description };
}
