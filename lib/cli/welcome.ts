import { LOCAL_CALLERS, localApiKey } from './local-seed.ts';

/** What `semel start` says once the local cloud answers. */
export function welcome(cloud: {
  readonly url: string;
  readonly dataDir: string | undefined;
  readonly notRun: readonly string[];
}): string {
  return [
    `The local cloud runs at ${cloud.url} (Ctrl-C stops it)`,
    '',
    '  caller  API key         account',
    ...LOCAL_CALLERS.map((caller) => `  ${caller.padEnd(6)}  ${localApiKey(caller).padEnd(14)}  acct_${caller}`),
    '',
    'Send this twice: the money moves once, and the second answer says Idempotent-Replayed.',
    '',
    `  curl -i ${cloud.url}/transfers -H 'Authorization: Bearer ${localApiKey('alice')}' \\`,
    "    -H 'Content-Type: application/json' -H 'Idempotency-Key: my-first-key' \\",
    `    -d '{"from":"acct_alice","to":"acct_bob","amount":500}'`,
    '',
    cloud.dataDir === undefined ? 'Data: in memory (--data-dir keeps it)' : `Data: in ${cloud.dataDir}`,
    ...(cloud.notRun.length > 0 ? [`Deployed but not run here: ${cloud.notRun.join(', ')}`] : []),
  ].join('\n');
}
