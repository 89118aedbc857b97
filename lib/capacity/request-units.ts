/** The ways in which a request or a message is made to happen once. */
export type CapacityMode = 'atomic' | 'leased' | 'message';

/** What one request makes of DynamoDB. */
export interface RequestUnits {
  /** Requests to DynamoDB, authentication's read apart. */
  readonly requests: number;
  readonly writes: number;
  readonly reads: number;
}

/** What a request is made of. */
export interface RequestShape {
  /** The size of a record with its reply, in bytes. */
  readonly recordBytes: number;
  /** How many items the plan writes beside the record, of up to 1 KB each. */
  readonly effects: number;
}

/** DynamoDB's own kilobyte. */
const KILOBYTE = 1_024;
/** A transaction prepares and commits: twice the units of single writes. */
const TRANSACTION = 2;
/** An entry of the index of unfinished operations, and a claim without its reply, are far below a kilobyte. */
const SMALL = 1;
/** The lookup of the API key, consistently. */
const AUTHENTICATION = 1;

/** The write units of one item. @example writeUnits(1_500) // 2 */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / KILOBYTE));

/** The units of one consistent read. @example readUnits(1_500) // 1 */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / (4 * KILOBYTE)));

const committed = ({ recordBytes, effects }: RequestShape): number => TRANSACTION * (writeUnits(recordBytes) + effects);

/**
 * What a new request costs, by mode.
 *
 * - `atomic`: one transaction of record and effects.
 * - `leased`, without effects that reserve: a claim, then the transaction; each also writes the index of unfinished ones.
 * - `message`: one transaction of marker and effects; nobody is authenticated.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export const NEW_REQUEST: Readonly<Record<CapacityMode, (shape: RequestShape) => RequestUnits>> = {
  atomic: (shape) => ({ requests: 1, writes: committed(shape), reads: AUTHENTICATION }),
  leased: (shape) => ({ requests: 2, writes: SMALL + SMALL + committed(shape) + SMALL, reads: AUTHENTICATION }),
  message: ({ effects }) => ({ requests: 1, writes: TRANSACTION * (SMALL + effects), reads: 0 }),
};

/** A retry that says it is one (`Idempotency-Attempt: 2`) is answered by reading the record. */
export const hintedRetry = ({ recordBytes }: RequestShape): RequestUnits => ({
  requests: 1,
  writes: 0,
  reads: AUTHENTICATION + readUnits(recordBytes),
});

/** One that does not say so tries first; a cancelled transaction is counted as if it had been committed. */
export const silentRetry = (shape: RequestShape): RequestUnits => NEW_REQUEST.atomic(shape);
