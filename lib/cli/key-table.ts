import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT } from '../environment.ts';
import type { ApiKeyTable } from '../http/api-keys.ts';
import { documentClient } from '../store/document-client.ts';
import { type Input, type Option, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { CommandError } from './usage-error.ts';

/** Written by `npm run deploy`: what the stack calls its tables. */
const OUTPUTS_FILE = join('.semel', 'outputs.json');
/** The local cloud answers in any region, but a client wants one. */
const LOCAL_REGION = 'eu-central-1';

/** The options that say where the keys are. */
export const KEY_TABLE_OPTIONS = {
  table: {
    type: 'string',
    value: '<name>',
    help: `The table that holds the keys. Default: ${ENVIRONMENT.dataTable}, else the running local cloud's, else the deployed stack's.`,
  },
  endpoint: { type: 'string', value: '<url>', help: 'Where DynamoDB answers, if not at AWS.' },
  stack: { type: 'string', value: '<name>', help: `The stack of the last npm run deploy to take the table from.` },
} as const satisfies Record<string, Option>;

/** The paragraph about them, for each command's description. */
export const KEY_TABLE_HELP = `While a local cloud runs from this checkout, its table is used. Otherwise the table of the deployed stack is,
with the AWS credentials and region of your environment.`;

/** Where the keys are: the table, the client that reaches it, and how to say so. */
export interface KeyTable extends ApiKeyTable {
  readonly description: string;
}

/** Finds the table by the options, the environment, a running local cloud or the last deployment, in this order. */
export function findKeyTable(input: Input, root: string = PROJECT_ROOT): KeyTable {
  const stack = textOption(input, 'stack');
  const table = textOption(input, 'table') ?? (stack === undefined ? process.env[ENVIRONMENT.dataTable] : undefined);
  const endpoint = textOption(input, 'endpoint');
  if (table) return keyTable(table, endpoint);
  const running = stack === undefined ? findRunningCloud(root) : undefined;
  if (running?.dataTable !== undefined) return keyTable(running.dataTable, endpoint ?? running.dynamodbEndpoint);
  return keyTable(deployedTable(root, stack), endpoint);
}

function keyTable(table: string, endpoint: string | undefined): KeyTable {
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

function deployedTable(root: string, stack: string | undefined): string {
  const outputs = readOutputs(root);
  const names = Object.keys(outputs);
  const [only] = names;
  if (stack === undefined && names.length > 1) {
    throw new CommandError(`Several stacks were deployed; choose one with --stack: ${names.join(', ')}.`);
  }
  const chosen = stack ?? only;
  const table = chosen === undefined ? undefined : outputs[chosen]?.DataTableName;
  if (table === undefined) throw new CommandError(noTable(stack, names));
  return table;
}

function noTable(stack: string | undefined, names: readonly string[]): string {
  if (stack !== undefined && names.length > 0) return `No stack ${stack} was deployed; there is: ${names.join(', ')}.`;
  return (
    'It is not known where the keys are: no local cloud runs from this checkout (npm start), and nothing was deployed ' +
    `from it (npm run deploy). Name the table with --table or ${ENVIRONMENT.dataTable}.`
  );
}

function readOutputs(root: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  try {
    return JSON.parse(readFileSync(join(root, OUTPUTS_FILE), 'utf8'));
  } catch {
    return {};
  }
}
