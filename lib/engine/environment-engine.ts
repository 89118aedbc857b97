import { ENVIRONMENT } from '../environment.ts';
import { documentClient } from '../store/document-client.ts';
import { createEngine, type Engine } from './engine.ts';
import { countMetric, measureMetric } from './published-metrics.ts';

let engine: Engine | undefined;

/**
 * The engine over the tables that the environment names: one per execution environment, so that connections are reused.
 *
 * @default no cipher: for operations whose `storedBody` is `encrypted`, give it one
 * @throws Error naming the variable that is not set, on the first use of its table
 * @throws RangeError when the key secret is set but empty
 * @example environmentEngine({ replyCipher: environmentReplyCipher() })
 */
export function environmentEngine({ replyCipher }: Pick<Partial<Engine>, 'replyCipher'> = {}): Engine {
  const keySecret = process.env[ENVIRONMENT.keySecret];
  engine ??= createEngine({
    ...(keySecret !== undefined && { keySecret }),
    count: countMetric,
    measure: measureMetric,
    store: {
      client: documentClient(),
      // Asked for when they are used: a function without keys and messages is not given Semel's table at all.
      get table() {
        return required(ENVIRONMENT.idempotencyTable);
      },
      get dataTable() {
        return required(ENVIRONMENT.dataTable);
      },
    },
  });
  return replyCipher === undefined ? engine : { ...engine, replyCipher };
}

function required(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set: grant the function its table (IdempotencyTable.grantAtomic), which sets it.`);
}
