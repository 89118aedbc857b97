import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ENVIRONMENT } from '../environment.ts';
import { documentClient } from '../store/document-client.ts';
import { type Input, type Option, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { CommandError } from './usage-error.ts';

/** Written by `npm run deploy`: what the stack calls its tables. */
const OUTPUTS_FILE = join('.semel', 'outputs.json');
/** The local cloud answers in any region, but a client wants one. */
const LOCAL_REGION = 'eu-central-1';

/** Which of a stack's tables is looked for, and by what names it is known. */
const ROLES = {
  data: { holds: 'the keys', variable: ENVIRONMENT.dataTable, output: 'DataTableName', note: 'dataTable' },
  idempotency: {
    holds: 'the records',
    variable: ENVIRONMENT.idempotencyTable,
    output: 'IdempotencyTableName',
    note: 'idempotencyTable',
  },
} as const;

export type TableRole = keyof typeof ROLES;

/** A table, the client that reaches it, and how to say so. */
export interface FoundTable {
  readonly table: string;
  readonly client: DynamoDBDocumentClient;
  readonly description: string;
}

/** The options that say where a table is. */
export const tableOptions = (role: TableRole) =>
  ({
    table: {
      type: 'string',
      value: '<name>',
      help: `The table that holds ${ROLES[role].holds}. Default: ${ROLES[role].variable}, else the running local cloud's, else the deployed stack's.`,
    },
    endpoint: { type: 'string', value: '<url>', help: 'Where DynamoDB answers, if not at AWS.' },
    stack: { type: 'string', value: '<name>', help: 'The stack of the last npm run deploy to take the table from.' },
  }) as const satisfies Record<string, Option>;

/** Finds the table by the options, the environment, a running local cloud or the last deployment, in this order. */
export function findTable(role: TableRole, input: Input, root: string = PROJECT_ROOT): FoundTable {
  const { variable, note } = ROLES[role];
  const stack = textOption(input, 'stack');
  const table = textOption(input, 'table') ?? (stack === undefined ? process.env[variable] : undefined);
  const endpoint = textOption(input, 'endpoint');
  if (table) return reach(table, endpoint);
  const running = stack === undefined ? findRunningCloud(root) : undefined;
  const local = running?.[note];
  if (local !== undefined) return reach(local, endpoint ?? running?.dynamodbEndpoint);
  return reach(deployedTable(role, root, stack), endpoint);
}

function reach(table: string, endpoint: string | undefined): FoundTable {
  if (endpoint === undefined) return { table, client: documentClient(), description: `table ${table} at AWS` };
  useLocalCredentials();
  const client = documentClient({ endpoint, region: LOCAL_REGION });
  return { table, client, description: `table ${table} at ${endpoint}` };
}

/** DynamoDB Local checks no signature, but the SDK makes one: a profile that needs a sign-in must not be asked. */
function useLocalCredentials(): void {
  delete process.env.AWS_PROFILE;
  process.env.AWS_ACCESS_KEY_ID = 'local';
  process.env.AWS_SECRET_ACCESS_KEY = 'local';
}

function deployedTable(role: TableRole, root: string, stack: string | undefined): string {
  const outputs = readOutputs(root);
  const names = Object.keys(outputs);
  const [only] = names;
  if (stack === undefined && names.length > 1) {
    throw new CommandError(`Several stacks were deployed; choose one with --stack: ${names.join(', ')}.`);
  }
  const chosen = stack ?? only;
  const table = chosen === undefined ? undefined : outputs[chosen]?.[ROLES[role].output];
  if (table === undefined) throw new CommandError(noTable(role, stack, names));
  return table;
}

function noTable(role: TableRole, stack: string | undefined, names: readonly string[]): string {
  if (stack !== undefined && names.length > 0) return `No stack ${stack} was deployed; there is: ${names.join(', ')}.`;
  return (
    `It is not known where ${ROLES[role].holds} are: no local cloud runs from this checkout (npm start), and nothing was ` +
    `deployed from it (npm run deploy). Name the table with --table or ${ROLES[role].variable}.`
  );
}

function readOutputs(root: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  try {
    return JSON.parse(readFileSync(join(root, OUTPUTS_FILE), 'utf8'));
  } catch {
    return {};
  }
}
