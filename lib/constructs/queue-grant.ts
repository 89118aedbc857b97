import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** Lets a function send to a queue and tells it where: permission and URL together, and nothing beside. */
export const grantSend = (queue: IQueue, fn: LambdaFunction, urlVariable: string): void => {
  Grant.addToPrincipal({
    grantee: fn,
    actions: ['sqs:SendMessage'],
    resourceArns: [queue.queueArn],
  }).assertSuccess();
  fn.addEnvironment(urlVariable, queue.queueUrl);
};
