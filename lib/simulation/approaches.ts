import { bloomFilter } from './bloom-filter.ts';
import type { Approach } from './consumer.ts';
import { highWaterMark } from './high-water-mark.ts';
import { idSet } from './id-set.ts';
import { noDedupe } from './no-dedupe.ts';
import { semelMarker } from './semel-marker.ts';
import { semelSequence } from './semel-sequence.ts';

/** What is compared, the hopeful first. */
export const APPROACHES: readonly Approach[] = [
  noDedupe,
  idSet,
  highWaterMark,
  bloomFilter,
  semelMarker,
  semelSequence,
];
