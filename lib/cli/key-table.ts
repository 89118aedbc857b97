import type { Input } from './command.ts';
import { type FoundTable, findTable, tableOptions } from './find-table.ts';

/** The options that say where the keys are. */
export const KEY_TABLE_OPTIONS = tableOptions('data');

/** The paragraph about them, for each command's description. */
export const KEY_TABLE_HELP = `While a local cloud runs from this checkout, its table is used. Otherwise the table of the deployed stack is,
with the AWS credentials and region of your environment.`;

/** Finds the table that holds the API keys. */
export const findKeyTable = (input: Input, root?: string): FoundTable => findTable('data', input, root);
