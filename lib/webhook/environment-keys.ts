import { webhookSecretArnName, webhookSecretName } from '../environment.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { fixedKeys, type KeyRing, rotatingKeys, splitSecrets } from './webhook-secrets.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Longer than Secrets Manager needs; a provider waits about ten seconds for an answer. */
const REQUEST_TIMEOUT_MS = 2_000;
const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * A source's keys as the environment says: its secrets themselves, or the Secrets Manager secret that holds them.
 *
 * @throws RangeError for a secret that is empty or malformed
 * @throws Error when neither variable is set
 */
export function environmentKeys(source: WebhookSource, now: () => Milliseconds): KeyRing {
  const text = process.env[webhookSecretName(source.name)];
  if (text !== undefined) return fixedKeys(source, splitSecrets(text));
  const arn = process.env[webhookSecretArnName(source.name)];
  if (arn) return rotatingKeys(source, async () => splitSecrets(await readSecret(arn)), now);
  throw new Error(
    `The webhook source ${source.name} has no secret: set ${webhookSecretName(source.name)}, or use WebhookEndpoint, which sets ${webhookSecretArnName(source.name)}.`,
  );
}

/** Loaded only here, so that nobody needs the client who keeps secrets elsewhere. */
async function readSecret(arn: string): Promise<string> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient({
    maxAttempts: 2,
    requestHandler: {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  client.destroy();
  if (text === undefined) throw new Error(`The secret ${arn} holds bytes; store text, one signing secret a line.`);
  return text;
}
