import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ENVIRONMENT } from '../environment.ts';

const DECRYPT = ['kms:Decrypt'];
const ENCRYPT = ['kms:GenerateDataKey', ...DECRYPT];

/**
 * Lets a function store replies encrypted under the key, and replay them: permission and the key's ARN together. Who only
 * shows operations needs `decrypt` alone.
 *
 * @default encrypt and decrypt
 * @example grantReplyKey(reconcile, key); // may kms:GenerateDataKey and kms:Decrypt; REPLY_KEY_ARN is set
 */
export const grantReplyKey = (fn: LambdaFunction, key: IKey, use: 'encrypt' | 'decrypt' = 'encrypt'): void => {
  key.grant(fn, ...(use === 'encrypt' ? ENCRYPT : DECRYPT)).assertSuccess();
  fn.addEnvironment(ENVIRONMENT.replyKeyArn, key.keyArn);
};
