import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ENVIRONMENT } from '../environment.ts';
import type { FunctionDefinition } from './functions.ts';
import { SetupError } from './setup-error.ts';
import { emptyTable, putIfAbsent } from './table-contents.ts';
import { createTables, deleteTables, type TableDefinition } from './tables.ts';

/** The tables that the functions know, by the environment variables that name them. */
type TableRole = keyof typeof VARIABLES;

export type TableNames = Partial<Readonly<Record<TableRole, string>>>;

export type Seed = readonly { readonly table: TableRole; readonly Item: Record<string, unknown> }[];

/** The tables of a running stack, with what is to be in them from the start. */
export interface SeededTables {
  /** Empties all of them and seeds them again. */
  reset(): Promise<void>;
  delete(): Promise<void>;
}

const VARIABLES = {
  idempotency: ENVIRONMENT.idempotencyTable,
  data: ENVIRONMENT.dataTable,
  provider: ENVIRONMENT.providerTable,
} as const;

/**
 * Finds which table is which.
 * @throws SetupError when two functions disagree
 */
export function findTables(functions: readonly FunctionDefinition[]): TableNames {
  const names: Partial<Record<TableRole, string>> = {};
  for (const { name, environment } of functions) {
    for (const role of Object.keys(VARIABLES) as TableRole[]) {
      const table = environment[VARIABLES[role]];
      if (table === undefined) continue;
      if (table !== (names[role] ?? table))
        throw new SetupError(`${name} has another ${VARIABLES[role]} than other functions.`);
      names[role] = table;
    }
  }
  return names;
}

/**
 * Creates the tables that are not there yet and writes the seed where nothing is.
 * @throws SetupError when the seed is for a table that no function has, or a kept table has another shape
 */
export async function seedTables(
  client: DynamoDBDocumentClient,
  tables: readonly TableDefinition[],
  names: TableNames,
  seed: Seed,
): Promise<SeededTables> {
  const items = seed.map(({ table, Item }) => ({ TableName: nameOf(names, table), Item }));
  const write = async (): Promise<void> => {
    await Promise.all(items.map(({ TableName, Item }) => putIfAbsent(client, TableName, Item)));
  };
  await createTables(client, tables);
  await write();
  return {
    reset: async () => {
      await Promise.all(tables.map((table) => emptyTable(client, table)));
      await write();
    },
    delete: () =>
      deleteTables(
        client,
        tables.map(({ TableName }) => TableName),
      ),
  };
}

function nameOf(names: TableNames, role: TableRole): string {
  const name = names[role];
  if (name === undefined)
    throw new SetupError(`No function of the stack has a table that ${VARIABLES[role]} names: it cannot be seeded.`);
  return name;
}
