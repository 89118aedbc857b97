import { randomBytes } from 'node:crypto';
import { webhookSecretName } from '../environment.ts';

/** The sources whose webhooks the wallet takes. */
export const WEBHOOK_SOURCES = ['standard', 'stripe', 'github'] as const;
export type WebhookSourceName = (typeof WEBHOOK_SOURCES)[number];
export type WebhookSecrets = Readonly<Record<WebhookSourceName, string>>;

/** As each provider spells its secrets. */
const MAKE: Readonly<Record<WebhookSourceName, () => string>> = {
  standard: () => `whsec_${randomBytes(24).toString('base64')}`,
  stripe: () => `whsec_${randomBytes(24).toString('hex')}`,
  github: () => randomBytes(24).toString('hex'),
};

/** The signing secret that the environment names for a source, if it does. */
export const givenSecret = (source: WebhookSourceName): string | undefined => process.env[webhookSecretName(source)];

/** A local cloud's signing secrets: those of the environment, and new ones where it names none. */
export const localWebhookSecrets = (): WebhookSecrets =>
  forEachSource((source) => givenSecret(source) ?? MAKE[source]());

/** The environment in which the functions find them. */
export const webhookEnvironment = (secrets: WebhookSecrets): Readonly<Record<string, string>> =>
  Object.fromEntries(WEBHOOK_SOURCES.map((source) => [webhookSecretName(source), secrets[source]]));

const forEachSource = (secretOf: (source: WebhookSourceName) => string): WebhookSecrets => ({
  standard: secretOf('standard'),
  stripe: secretOf('stripe'),
  github: secretOf('github'),
});
