import { afterAll, beforeAll, inject } from 'vitest';
import type { RecordedCall } from '../../lib/local/call-log.ts';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { tinyTemplate, writeAssembly } from './tiny-stack.ts';

export const SEED = [{ table: 'data' as const, Item: { pk: 'seeded', sk: 'entry', attempt: 'seed' } }];

/** Runs the small stack in a local cloud while the tests of a file run. */
export function useTinyCloud() {
  let cloud: LocalCloud;
  let removeAssembly = () => {};
  let ids = 0;
  const printed: string[] = [];

  beforeAll(async () => {
    const assembly = await writeAssembly(tinyTemplate());
    removeAssembly = assembly.remove;
    cloud = await startLocalCloud({
      assembly: assembly.directory,
      port: 0,
      dynamodbEndpoint: inject('dynamodb'),
      seed: SEED,
      log: (line) => printed.push(line),
      environment: { EXTRA: 'given' },
    });
  });
  afterAll(async () => {
    await cloud.stop();
    removeAssembly();
  });

  const send = (path: string, init: RequestInit = {}) => fetch(cloud.url + path, init);
  const json = async <T>(path: string): Promise<T> => (await (await send(path)).json()) as T;
  const callsOf = async (query: string) => (await json<{ calls: RecordedCall[] }>(`/_local/calls?${query}`)).calls;
  return {
    cloud: () => cloud,
    printed,
    send,
    json,
    callsOf,
    /** The calls behind one answer. */
    callsOfAnswer: (answer: Response) => callsOf(`request=${answer.headers.get('apigw-requestid')}`),
    entryIds: async () => (await json<{ entries: { pk: string }[] }>('/_local/state')).entries.map(({ pk }) => pk),
    newId: () => `id-${++ids}`,
  };
}
