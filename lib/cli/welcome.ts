import { webhookSecretName } from '../environment.ts';
import { LOCAL_CALLERS, localApiKey } from './local-seed.ts';
import { givenSecret, WEBHOOK_SOURCES, type WebhookSecrets } from './webhook-secrets.ts';

/** What `semel start` says once the local cloud answers. */
export function welcome(cloud: {
  readonly url: string;
  readonly dataDir: string | undefined;
  readonly notRun: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
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
    `To press instead of type: ${cloud.url}/sandbox`,
    '',
    'Webhooks are signed with these; npm run -s semel -- webhooks send <source> posts a sample:',
    '',
    ...WEBHOOK_SOURCES.map((source) => `  ${source.padEnd(8)}  ${shownSecret(source, cloud.webhookSecrets)}`),
    '',
    cloud.dataDir === undefined ? 'Data: in memory (--data-dir keeps it)' : `Data: in ${cloud.dataDir}`,
    ...(cloud.notRun.length > 0 ? [`Deployed but not run here: ${cloud.notRun.join(', ')}`] : []),
  ].join('\n');
}

/** One that the environment gave is its owner's to know. */
const shownSecret = (source: keyof WebhookSecrets, secrets: WebhookSecrets): string =>
  givenSecret(source) === undefined ? secrets[source] : `as ${webhookSecretName(source)} says`;
