import {
  GetQueueAttributesCommand,
  paginateListDeadLetterSourceQueues,
  paginateListQueues,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type Input, textOption } from './command.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { findRunningCloud } from './running-cloud.ts';
import { CommandError } from './usage-error.ts';

/** Queues, and how to say where they are. */
export interface Queues {
  readonly client: SQSClient;
  readonly description: string;
  /** Nobody said AWS: it is what is left where no local cloud runs. */
  readonly isGuess: boolean;
}

/** Reaches the queues by the option, a running local cloud or the environment's AWS account, in this order. */
export function findQueues(input: Input, root: string = PROJECT_ROOT): Queues {
  const endpoint = textOption(input, 'endpoint') ?? findRunningCloud(root)?.queuesEndpoint;
  if (endpoint === undefined) return { client: new SQSClient({}), description: 'AWS', isGuess: true };
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    client: new SQSClient({ endpoint, region: 'us-east-1', credentials }),
    description: endpoint,
    isGuess: false,
  };
}

/**
 * Finds a queue by its URL, its name, or a part of its name that no other queue's has.
 * @throws CommandError that names the queues it could be
 */
export async function findQueue({ client, description }: Queues, reference: string): Promise<string> {
  if (/^https?:\/\//.test(reference)) return reference;
  const urls = await listQueues(client);
  const exact = urls.find((url) => queueName(url) === reference);
  if (exact !== undefined) return exact;
  const similar = urls.filter((url) => queueName(url).toLowerCase().includes(reference.toLowerCase()));
  const [only, ...others] = similar;
  if (only !== undefined && others.length === 0) return only;
  const candidates = (similar.length > 0 ? similar : urls).map(queueName).sort();
  const question = similar.length > 0 ? `"${reference}" could be` : `No queue is called "${reference}". There are`;
  throw new CommandError(`${question}: ${candidates.join(', ') || 'none'} (${description}).`);
}

/** @example queueName('https://sqs.eu-central-1.amazonaws.com/1/orders') // 'orders' */
export const queueName = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** The queues whose dead letters land in this one. */
export async function sourcesOf(client: SQSClient, QueueUrl: string): Promise<string[]> {
  try {
    const urls: string[] = [];
    for await (const page of paginateListDeadLetterSourceQueues({ client }, { QueueUrl }))
      urls.push(...(page.queueUrls ?? []));
    return urls;
  } catch (error) {
    // The local cloud's queues do not know this question.
    if (!(error instanceof Error) || error.name !== 'InvalidAction') throw error;
    return sourcesAmong(client, await listQueues(client), QueueUrl);
  }
}

async function sourcesAmong(client: SQSClient, urls: readonly string[], deadLetters: string): Promise<string[]> {
  const attributeOf = async (QueueUrl: string, name: 'QueueArn' | 'RedrivePolicy') =>
    (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }))).Attributes?.[name];
  const arn = await attributeOf(deadLetters, 'QueueArn');
  const policies = await Promise.all(urls.map((url) => attributeOf(url, 'RedrivePolicy')));
  return urls.filter((_, index) => JSON.parse(policies[index] ?? '{}').deadLetterTargetArn === arn);
}

async function listQueues(client: SQSClient): Promise<string[]> {
  const urls: string[] = [];
  for await (const page of paginateListQueues({ client }, { MaxResults: 1_000 })) urls.push(...(page.QueueUrls ?? []));
  return urls;
}
