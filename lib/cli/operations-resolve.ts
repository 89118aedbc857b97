import { findOperation } from '../engine/find-operation.ts';
import { resolve } from '../engine/resolve.ts';
import type { IdempotencyRecord, NeedsAttentionRecord } from '../protocol/record.ts';
import type { Command } from './command.ts';
import { confirm, YES_OPTION } from './confirm.ts';
import { referenceIn } from './operations-show.ts';
import { findRecords, RECORD_TABLE_HELP, RECORD_TABLE_OPTIONS } from './record-engine.ts';
import { CommandError } from './usage-error.ts';

/** `semel operations resolve`: hands an operation back that waits for a person. */
export const operationsResolve: Command = {
  name: 'operations resolve',
  summary: 'Let an operation go on that needs attention.',
  description: `Hands an operation that needs attention back to the reconciler, which goes on where it stood, under the same
operation id, with all its tries before it. Mend first what kept it from ending: a provider that did not answer, a booking
that its account refused. Whether money moved is not decided here: the operation ends as the provider says.

${RECORD_TABLE_HELP}`,
  positionals: ['operation'],
  options: { ...YES_OPTION, ...RECORD_TABLE_OPTIONS },
  examples: ['semel operations resolve op_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU.AZrVAAAAcACAAAAAAAAAAQ'],
  async run(input, terminal) {
    const reference = referenceIn(input.positionals);
    const { engine, deadline, description } = findRecords(input);
    const record = await findOperation(engine, reference, deadline);
    if (record === undefined) throw new CommandError(`There is no operation ${reference} in ${description}.`);
    if (record.status !== 'needs_attention') throw new CommandError(notWaiting(record));
    terminal.explain(plan(record, description));
    await confirm(input, 'Do it?');
    const resolved = await resolve(engine, reference, deadline);
    if (resolved.kind === 'not-found') throw new CommandError(`Operation ${record.operationId} is gone meanwhile.`);
    if (resolved.kind === 'not-waiting') throw new CommandError(notWaiting(resolved.record));
    terminal.explain('It goes on: with the next run of the reconciler, or with the next retry, whichever comes first.');
  },
};

const plan = (record: NeedsAttentionRecord, where: string): string =>
  [
    `Operation ${record.operationId} (${record.operation} for ${record.caller}) in ${where}`,
    `has needed attention since attempt ${record.attempt}: ${record.reason}.`,
    `It was first seen at ${new Date(record.firstSeenAt).toISOString()} and asks for ${record.intent ?? 'nothing more'}.`,
    `It will be in progress again (recovery point: ${record.recoveryPoint ?? 'none'}), to be taken over at once, and its`,
    'unknown outcomes are counted from 0 again.',
  ].join('\n');

const notWaiting = ({ operationId, status }: IdempotencyRecord): string =>
  `Operation ${operationId} does not wait for anybody: it is ${status === 'completed' ? 'completed' : 'in progress'}.`;
