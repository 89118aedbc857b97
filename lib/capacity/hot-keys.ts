import { PENDING_SHARDS } from '../engine/new-record.ts';
import { PARTITION } from './partitions.ts';
import { readUnits } from './request-units.ts';

/** Something that lies in one partition, however many partitions there are, and how much of it a second goes. */
export interface HotKeyLimit {
  readonly what: string;
  readonly perSecond: number;
  readonly because: string;
}

/** A transaction writes an item of up to 1 KB for two units. */
const TRANSACTED_WRITE = 2;
/** A leased operation enters the index of unfinished ones and leaves it. */
const ENTRY_WRITES = 2;

/** Where adding capacity does not help. */
export const hotKeyLimits = (recordBytes: number): readonly HotKeyLimit[] => [
  {
    what: 'effects on one item, such as one balance',
    perSecond: PARTITION.writeUnits / TRANSACTED_WRITE,
    because: 'two units each; transactions that meet on it cancel each other, so plan for a tenth',
  },
  {
    what: 'writes to one inbox, each a run of messages',
    perSecond: PARTITION.writeUnits,
    because: 'one unit each; longer runs carry more messages',
  },
  {
    what: 'retries of one key that say they are',
    perSecond: PARTITION.readUnits / readUnits(recordBytes),
    because: 'one consistent read each',
  },
  {
    what: 'leased operations in all',
    perSecond: (PARTITION.writeUnits / ENTRY_WRITES) * PENDING_SHARDS.length,
    because: `two index writes each, over ${PENDING_SHARDS.length} shards`,
  },
];
