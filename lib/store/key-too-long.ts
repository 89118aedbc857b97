import type { Item } from '../protocol/plan.ts';

/** A key that is longer than any key may be comes from outside, out of a path; DynamoDB refuses it, and it leads nowhere. */
export function nothingUnderSuchAKey(error: unknown): { Item?: Item } {
  if (error instanceof Error && error.name === 'ValidationException' && KEY_TOO_LONG.test(error.message)) return {};
  throw error;
}

/** DynamoDB: "Size of hashkey has exceeded the maximum size limit of2048 bytes"; DynamoDB Local says it in other words. */
const KEY_TOO_LONG = /(2048|1024) bytes/;
