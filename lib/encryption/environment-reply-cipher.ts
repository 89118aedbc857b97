import { ENVIRONMENT } from '../environment.ts';
import type { ReplyCipher } from '../protocol/reply-cipher.ts';
import { aesReplyCipher } from './aes-reply-cipher.ts';
import { kmsReplyCipher } from './kms-reply-cipher.ts';

/**
 * The cipher that the environment says: under the key of KMS that the stack has named, or, on one's own machine, where
 * there is no KMS, under the 32 bytes that `REPLY_KEY` spells in base64.
 *
 * @throws RangeError when `REPLY_KEY` has not 32 bytes
 * @throws Error when neither variable is set: nothing would be encrypted then
 * @example environmentEngine({ replyCipher: environmentReplyCipher() })
 */
export function environmentReplyCipher(): ReplyCipher {
  const { replyKey, replyKeyArn } = ENVIRONMENT;
  const key = process.env[replyKey];
  if (key !== undefined) return aesReplyCipher(Buffer.from(key, 'base64'));
  const arn = process.env[replyKeyArn];
  if (arn) return kmsReplyCipher(arn);
  throw new Error(`There is no key for replies: grant the function one (grantReplyKey), which sets ${replyKeyArn}.`);
}
