import { randomUUID } from 'node:crypto';
import { webhookSecretName } from '../environment.ts';
import { type Command, type Input, type Terminal, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { SIGNED_HEADERS } from './sample-delivery.ts';
import { CommandError, UsageError } from './usage-error.ts';
import { givenSecret, WEBHOOK_SOURCES, type WebhookSourceName } from './webhook-secrets.ts';

const MOST_TIMES = 100;

/** `semel webhooks send`: signs a sample event as a provider would, and posts it. */
export const webhooksSend: Command = {
  name: 'webhooks send',
  summary: 'Sign a sample webhook and post it.',
  description: `Posts a payment.succeeded event, signed as its source signs: ${WEBHOOK_SOURCES.join(', ')}. Sent again with the same event id it
is a duplicate; with another event id but the same payment id, it is the same payment from another side.

The signing secret comes from WEBHOOK_SECRET_<SOURCE>, else from the local cloud that runs from this checkout.`,
  positionals: ['source'],
  options: {
    url: { type: 'string', value: '<url>', help: "The service's URL. Default: the running local cloud's." },
    account: { type: 'string', value: '<id>', help: 'The account to credit. Default: acct_alice.' },
    amount: { type: 'string', value: '<amount>', help: 'Minor units. Default: 500.' },
    event: { type: 'string', value: '<id>', help: 'The event id. Default: a new one.' },
    payment: { type: 'string', value: '<id>', help: 'The payment id. Default: a new one.' },
    times: { type: 'string', value: '<number>', help: `Deliver it that often, up to ${MOST_TIMES}. Default: 1.` },
  },
  examples: ['semel webhooks send stripe --times 3', 'semel webhooks send github --payment pay_1 --amount 700'],
  run: send,
};

async function send(input: Input, terminal: Terminal): Promise<void> {
  const source = sourceOf(input);
  const times = wholeNumber(input, 'times', '1');
  if (times > MOST_TIMES) throw new UsageError(`--times is at most ${MOST_TIMES}.`);
  const eventId = textOption(input, 'event') ?? `evt_${randomUUID()}`;
  const body = sampleBody(input, eventId);
  const target = `${urlOf(input)}/webhooks/${source}`;
  const secret = secretOf(source);
  terminal.explain(`POST ${target}\n${body}`);
  const refused: number[] = [];
  for (let time = 1; time <= times; time++) {
    const headers = SIGNED_HEADERS[source]({ body, eventId, secret, now: new Date() });
    const answer = await post(target, { 'content-type': 'application/json', ...headers }, body);
    terminal.print(`${answer.status} ${await answer.text()}`);
    if (!answer.ok) refused.push(answer.status);
  }
  if (refused.length > 0) throw new CommandError(`The webhook was not taken: ${[...new Set(refused)].join(', ')}.`);
}

function sampleBody(input: Input, eventId: string): string {
  const data = {
    id: textOption(input, 'payment') ?? `pay_${randomUUID()}`,
    account: textOption(input, 'account') ?? 'acct_alice',
    amount: wholeNumber(input, 'amount', '500'),
  };
  return JSON.stringify({ id: eventId, type: 'payment.succeeded', data });
}

function sourceOf({ positionals: [named = ''] }: Input): WebhookSourceName {
  const source = WEBHOOK_SOURCES.find((known) => known === named);
  if (source !== undefined) return source;
  throw new UsageError(`There is no webhook source "${named}". There are: ${WEBHOOK_SOURCES.join(', ')}.`);
}

function wholeNumber(input: Input, name: string, usual: string): number {
  const text = textOption(input, name) ?? usual;
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new UsageError(`--${name} is "${text}", which is not a whole number from 1.`);
}

function urlOf(input: Input): string {
  const url = textOption(input, 'url') ?? findRunningCloud(PROJECT_ROOT)?.url;
  if (url !== undefined) return url.replace(/\/+$/, '');
  throw new CommandError(
    'No local cloud runs from this checkout: start one with npm start, or name a service with --url.',
  );
}

/** One that rotates has several lines; the newest comes first. */
function secretOf(source: WebhookSourceName): string {
  const secret = (givenSecret(source) ?? findRunningCloud(PROJECT_ROOT)?.webhookSecrets[source])
    ?.split('\n')[0]
    ?.trim();
  if (secret) return secret;
  throw new CommandError(`The signing secret of ${source} is not known: set ${webhookSecretName(source)}.`);
}

async function post(target: string, headers: Record<string, string>, body: string): Promise<Response> {
  try {
    return await fetch(target, { method: 'POST', headers, body });
  } catch (cause) {
    throw new CommandError(`${target} does not answer.`, { cause });
  }
}
