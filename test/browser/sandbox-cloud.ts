import { inject } from 'vitest';
import { localSeed } from '../../lib/cli/local-seed.ts';
import { webhookEnvironment } from '../../lib/cli/webhook-secrets.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from '../../lib/local/start.ts';

/** A local cloud of the test's own, since the page resets it. */
export function sandboxCloud(options: Pick<LocalCloudOptions, 'port' | 'dataDir'> = {}): Promise<LocalCloud> {
  const { assembly, dynamodbEndpoint, webhookSecrets } = inject('cloud');
  return startLocalCloud({
    ...{ assembly, dynamodbEndpoint, port: 0, seed: localSeed(), environment: webhookEnvironment(webhookSecrets) },
    ...options,
  });
}

/** What really happened. */
export async function stateOf({ url }: Pick<LocalCloud, 'url'>) {
  const state = await (await fetch(`${url}/_local/state`)).json();
  return state as { providerCharges: { status: string }[]; entries: { kind: string }[]; records: { status: string }[] };
}
