import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What SQS does with a customer key on a sender's behalf. */
const SEND_KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'];

/** Lets a function send to a queue and tells it where: permission and URL together, and nothing beside. */
export const grantSend = (queue: IQueue, fn: LambdaFunction, urlVariable: string): void => {
  Grant.addToPrincipal({
    grantee: fn,
    actions: ['sqs:SendMessage'],
    resourceArns: [queue.queueArn],
  }).assertSuccess();
  queue.encryptionMasterKey?.grant(fn, ...SEND_KEY_ACTIONS).assertSuccess();
  fn.addEnvironment(urlVariable, queue.queueUrl);
};
