import { randomBytes } from 'node:crypto';
import { ENVIRONMENT } from '../environment.ts';
import { type EventSource, readEventSources } from './event-sources.ts';
import { type FunctionDefinition, readFunctions } from './functions.ts';
import { readPolicies, type Statement } from './iam.ts';
import type { Place } from './identities.ts';
import { type QueueDefinition, readQueues } from './queues.ts';
import { type HttpApi, readApis } from './routes.ts';
import { readSchedules, type ScheduleDefinition } from './schedules.ts';
import { findTables, type TableNames } from './seeded-tables.ts';
import { modelStack } from './stack-model.ts';
import { readTables, type TableDefinition } from './tables.ts';
import type { Assembly } from './template.ts';

/** What the template says, read as a whole before anything starts. */
export interface Blueprint {
  readonly place: Place;
  readonly functions: readonly FunctionDefinition[];
  readonly policies: ReadonlyMap<string, readonly Statement[]>;
  readonly apis: readonly HttpApi[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly tables: readonly TableDefinition[];
  readonly tableNames: TableNames;
  readonly queues: readonly QueueDefinition[];
  readonly eventSources: readonly EventSource[];
  /** Where the functions reach the payment provider; undefined where none does. */
  readonly providerUrl: string | undefined;
}

export const REGION = 'us-east-1';
/** The only account that the emulator of the queues knows. */
const ACCOUNT = '000000000000';

/**
 * Reads an assembly whose servers listen already: their addresses are in the functions' environments.
 * @param keepsData then names are the same at each start, so that the data is found again
 * @throws SetupError for whatever would run differently in AWS
 */
export function readBlueprint(
  assembly: Assembly,
  addresses: Pick<Place, 'apiUrls' | 'proxyUrl'>,
  keepsData: boolean,
): Blueprint {
  const suffix = keepsData ? '' : randomBytes(3).toString('hex');
  const place = { stackName: assembly.stackName, region: REGION, account: ACCOUNT, suffix, ...addresses };
  const stack = modelStack(assembly, place);
  const functions = readFunctions(stack);
  return {
    place,
    functions,
    policies: readPolicies(stack),
    apis: readApis(stack),
    schedules: readSchedules(stack),
    tables: readTables(stack),
    tableNames: findTables(functions),
    queues: readQueues(stack),
    eventSources: readEventSources(stack),
    providerUrl: functions.map(({ environment }) => environment[ENVIRONMENT.providerUrl]).find(Boolean),
  };
}
