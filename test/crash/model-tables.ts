/** The tables as the stack makes them: which attributes are keys, of the tables and of their indexes. */
export const modelTables = <Semel extends string, Data extends string>(semel: Semel, data: Data) =>
  ({
    [semel]: { keys: ['pk'], indexes: { unfinished: ['pendingShard', 'leaseUntil'] } },
    [data]: {
      keys: ['pk', 'sk'],
      indexes: { byDebtor: ['debitAccount', 'entryUuid'], byCreditor: ['creditAccount', 'entryUuid'] },
    },
  }) as const;
