import { isDeepStrictEqual } from 'node:util';
import type { CompletedRecord, IdempotencyRecord } from '../protocol/record.ts';

/**
 * Is what a write met the very completion that it writes, sent before? Then the reply in hand is the one that was
 * committed, whether or not its body can be read from the record.
 *
 * The owner alone would not do: a plan that was given up may have been committed late, and its reply is another one. Of
 * two that are not kept, the times tell.
 *
 * @rule R10
 */
export const isOwnCompletion = (met: IdempotencyRecord | undefined, written: CompletedRecord): boolean =>
  met?.status === 'completed' &&
  met.ownerToken === written.ownerToken &&
  met.completedAt === written.completedAt &&
  isDeepStrictEqual(keptIn(met), keptIn(written));

const keptIn = ({ reply, encryptedReply, replyHead }: CompletedRecord) => [
  ...[reply?.status, reply?.headers, reply?.body],
  ...[encryptedReply, replyHead],
];
