/**
 * What one partition of a table holds and takes.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
 */
export const PARTITION = { bytes: 10e9, writeUnits: 1_000, readUnits: 3_000 } as const;

/**
 * What a new table on demand takes at once, before it has grown; more has to be warmed up beforehand.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
 */
export const NEW_TABLE = { writeUnits: 4_000, readUnits: 12_000 } as const;

/** How many partitions so much needs: by size or by traffic, whichever asks for more. @example partitions(262.5e9, {…}) // 27 */
export const partitions = (
  bytes: number,
  perSecond: { readonly writeUnits: number; readonly readUnits: number },
): number => {
  const bySize = Math.ceil(bytes / PARTITION.bytes);
  const byTraffic = Math.ceil(perSecond.writeUnits / PARTITION.writeUnits + perSecond.readUnits / PARTITION.readUnits);
  return Math.max(1, bySize, byTraffic);
};
