import { localSeed } from '../../lib/cli/local-seed.ts';
import { localWebhookSecrets, webhookEnvironment } from '../../lib/cli/webhook-secrets.ts';
import { startLocalCloud } from '../../lib/local/start.ts';

/** What the cloud's process tells the one that started it. */
export interface CloudReady {
  readonly dynamodbEndpoint: string;
  readonly tableNames: Readonly<Record<string, string>>;
}

/** The local cloud in a process of its own, which may be killed at any moment. */
const [assembly = '', port = '', dataDir = ''] = process.argv.slice(2);
const cloud = await startLocalCloud({
  ...{ assembly, port: Number(port), dataDir },
  seed: localSeed(),
  environment: webhookEnvironment(localWebhookSecrets()),
});
process.send?.({ dynamodbEndpoint: cloud.dynamodbEndpoint, tableNames: cloud.tableNames } satisfies CloudReady);
process.on('SIGTERM', () => void cloud.stop().then(() => process.exit(0)));
