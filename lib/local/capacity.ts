import type { DynamoDbRequest } from './dynamodb-request.ts';
import { type AttributeMap, itemSize } from './item-size.ts';

const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;

/**
 * What AWS bills for a request's writes, without indexes: a unit for each kilobyte begun, twice that in a transaction.
 * `sizeOf` gives the size of an item that the request names only by key; undefined when it is not known.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
export function writeUnits(
  { writes, transactional }: DynamoDbRequest,
  sizeOf: (table: string, key: AttributeMap) => number | undefined = () => undefined,
): number | null {
  let units = 0;
  for (const { table, item, key } of writes) {
    const size = item === undefined ? sizeOf(table, key ?? {}) : itemSize(item);
    if (size === undefined) return null;
    units += Math.max(1, Math.ceil(size / WRITE_UNIT_BYTES));
  }
  return transactional ? 2 * units : units;
}

interface ReadAnswer {
  readonly Item?: AttributeMap;
  readonly Items?: readonly AttributeMap[];
  readonly Responses?: readonly { readonly Item?: AttributeMap }[] | Readonly<Record<string, readonly AttributeMap[]>>;
  readonly Count?: number;
}

/** What AWS bills for a read, from its answer; items that a filter dropped are not seen. */
export function readUnits(request: DynamoDbRequest, answer: ReadAnswer): number | null {
  const factor = request.transactional ? 2 : request.consistentRead ? 1 : 0.5;
  const units = (bytes: number): number => Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * factor;
  switch (request.action) {
    case 'GetItem':
      return units(itemSize(answer.Item ?? {}));
    case 'Query':
    case 'Scan':
      return units((answer.Items ?? []).reduce((sum, item) => sum + itemSize(item), 0));
    case 'TransactGetItems':
      return (answer.Responses as { Item?: AttributeMap }[]).reduce(
        (sum, { Item }) => sum + units(itemSize(Item ?? {})),
        0,
      );
    default:
      return null;
  }
}
