import type { Invoke } from './background.ts';
import type { Blueprint } from './blueprint.ts';
import type { QueueSource } from './event-sources.ts';
import { isAllowed } from './iam.ts';
import { QueuePoller } from './queue-poller.ts';
import type { QueueDefinition, RunningQueues } from './queues.ts';
import { SetupError } from './setup-error.ts';

interface Surroundings {
  readonly queues: RunningQueues | undefined;
  readonly invoke: Invoke;
  readonly redeliverAfter: number | undefined;
  readonly log: (line: string) => void;
}

/** What brings the functions their events, while it runs. */
export interface RunningSources {
  /** Resolves once no function is at work on a batch. */
  idle(): Promise<void>;
  stop(): void;
}

/**
 * Starts what polls queues for the functions.
 * @throws SetupError for what AWS would refuse at deployment
 */
export function runEventSources(blueprint: Blueprint, surroundings: Surroundings): RunningSources {
  const pollers = blueprint.eventSources
    .filter((source) => source.kind === 'queue')
    .map((source) => startQueuePoller(source, blueprint, surroundings));
  return {
    idle: async () => {
      await Promise.all(pollers.map((poller) => poller.idle()));
    },
    stop: () => {
      for (const poller of pollers) poller.stop();
    },
  };
}

function startQueuePoller(source: QueueSource, blueprint: Blueprint, surroundings: Surroundings): QueuePoller {
  const { queues, ...rest } = surroundings;
  const definition = blueprint.queues.find(({ name }) => name === source.queue);
  if (queues === undefined || definition === undefined) {
    throw new SetupError(`${source.name}: the queue ${source.queue} is not part of the stack.`);
  }
  refuseWhatAwsRefuses(source, definition, blueprint);
  return new QueuePoller({ source, queues, visibility: definition.visibility, ...rest });
}

/** What Lambda does with a queue in its function's name. */
const NEEDED = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
function refuseWhatAwsRefuses(
  { name, functionArn }: QueueSource,
  queue: QueueDefinition,
  { functions, policies }: Blueprint,
): void {
  const target = functions.find(({ arn }) => arn === functionArn);
  if (target === undefined) throw new SetupError(`${name}: ${functionArn} is not part of the stack.`);
  if (queue.visibility * 1000 < target.timeout) {
    throw new SetupError(
      `${name}: the queue hides a message for ${queue.visibility} s, and its function may take ${target.timeout / 1000} s.`,
    );
  }
  const statements = policies.get(target.roleArn) ?? [];
  const missing = NEEDED.find((action) => !isAllowed(statements, action, queue.arn));
  if (missing !== undefined) throw new SetupError(`${name}: the role of ${target.name} does not allow ${missing}.`);
}
