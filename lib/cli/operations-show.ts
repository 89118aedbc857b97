import { findOperation, recordKey } from '../engine/find-operation.ts';
import type { IdempotencyRecord } from '../protocol/record.ts';
import type { EncryptedReply } from '../protocol/reply.ts';
import type { Command } from './command.ts';
import { findRecords, RECORD_TABLE_HELP, RECORD_TABLE_OPTIONS } from './record-engine.ts';
import { CommandError, UsageError } from './usage-error.ts';

/** `semel operations show`: one operation's record, as JSON. */
export const operationsShow: Command = {
  name: 'operations show',
  summary: "Show an operation's record.",
  description: `Prints the record of an operation as JSON: where it stands, what was asked for, and its reply once it has one.
It is found by its id (the Operation-Id of an answer) or by its key's hash (keyHash in the logs): the part of the id
after op_ and before the dot.

${RECORD_TABLE_HELP}`,
  positionals: ['operation'],
  options: RECORD_TABLE_OPTIONS,
  examples: ['semel operations show op_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU.AZrVAAAAcACAAAAAAAAAAQ'],
  async run(input, terminal) {
    const reference = referenceIn(input.positionals);
    const { engine, deadline, description } = findRecords(input);
    const record = await findOperation(engine, reference, deadline);
    if (record === undefined) throw new CommandError(`There is no operation ${reference} in ${description}.`);
    terminal.explain(`Operation ${record.operationId} in ${description}`);
    terminal.print(JSON.stringify(viewOf(record), undefined, 2));
  },
};

/** @throws UsageError for a text that can be neither an operation id nor a key's hash */
export function referenceIn([reference = '']: readonly string[]): string {
  if (recordKey(reference) !== undefined) return reference;
  // The part before the dot, cut out of an id together with what it begins with.
  const hash = reference.replace(/^op_/, '');
  if (recordKey(hash) !== undefined) return hash;
  throw new UsageError(`"${reference}" is neither an operation id (op_….…) nor the hash of a key (43 characters).`);
}

const MOMENTS = new Set(['firstSeenAt', 'leaseUntil', 'completedAt']);
/** Stored as JSON. */
const TEXTS = new Set(['intent', 'recoveryData']);

/** The record with its times and texts as a person reads them. */
function viewOf(record: IdempotencyRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (MOMENTS.has(name)) return [name, new Date(value as number)];
      if (name === 'expiresAt') return [name, new Date((value as number) * 1000)];
      if (TEXTS.has(name)) return [name, JSON.parse(value as string)];
      if (name === 'encryptedReply') return [name, withLength(value as EncryptedReply)];
      return name === 'reply' ? [name, withText(value as { body?: unknown })] : [name, value];
    }),
  );
}

/** What nobody can read need not be printed. */
const withLength = (reply: EncryptedReply) => ({ ...reply, ciphertext: `${reply.ciphertext.byteLength} bytes` });

const withText = ({ body, ...reply }: { readonly body?: unknown }) => ({
  ...reply,
  ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body }),
});
