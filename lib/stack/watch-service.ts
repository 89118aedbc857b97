import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { ConsumerQueue } from '../constructs/consumer-queue.ts';
import { Outbox } from '../constructs/outbox.ts';
import { Watch } from '../constructs/watch.ts';

/** Watches the wallet: its API and whatever queues and outboxes the stack has by now. The output names the topic. */
export const addWatch = (stack: Stack, { api }: { readonly api: IHttpApi }): void => {
  const parts = stack.node.findAll();
  const { topic } = new Watch(stack, 'Watch', {
    serviceName: 'wallet',
    apis: [api],
    queues: parts.filter((part) => part instanceof ConsumerQueue),
    outboxes: parts.filter((part) => part instanceof Outbox),
  });
  new CfnOutput(stack, 'AlarmTopicArn', { value: topic.topicArn });
};
