import type { Command } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { importOptional } from './optional-package.ts';

/** `semel queues redrive`: gives dead letters another chance. */
export const queuesRedrive: Command = {
  name: 'queues redrive',
  summary: 'Send dead letters back to their queue.',
  description: `Sends each message of a dead-letter queue back to the queue it came from and deletes it there. What was applied
before is applied no second time: a message keeps its event id, and where it has none, its message id becomes one.
The queue is named by its URL, its name, or a part of its name that is no other's. Mend first what kept the messages from
being applied: what fails again comes back, and is left there.

While a local cloud runs from this checkout, its queues are meant. Otherwise those of AWS are, with the credentials and
region of your environment.`,
  positionals: ['queue'],
  options: {
    to: { type: 'string', value: '<queue>', help: 'Where to send them. Default: the one queue they come from.' },
    ...YES_OPTION,
    endpoint: {
      type: 'string',
      value: '<url>',
      help: "Where SQS answers. Default: the running local cloud's queues, else AWS.",
    },
  },
  examples: ['semel queues redrive DepositQueueDeadLetters'],
  async run(input, terminal) {
    // Loaded only now: the client of SQS is an optional peer, and the other commands do without it.
    const { redriveQueue } = await importOptional('@aws-sdk/client-sqs', () => import('./redrive-queue.ts'));
    await redriveQueue(input, terminal);
  },
};
