import { toHex } from './hex.ts';
import { itemSize } from './item-size.ts';
import type { Effect, Item } from './plan.ts';
import { SemelError } from './problems.ts';

/** DynamoDB takes 100 writes in a transaction; the record or marker is one of them. */
export const MOST_EFFECTS = 99;
const LARGEST_ITEM = 400 * 1_024;
const LARGEST_TRANSACTION = 4 * 1_024 * 1_024;

/** One effect as the limits see it. */
interface Write {
  readonly table: string;
  /** Known from its Key, or guessed out of the item it puts. */
  readonly key: Item;
  readonly size: number;
}

/**
 * Refuses a plan that DynamoDB would refuse outright, before anything is sent.
 *
 * Its own answer to such a plan is one ValidationError for the whole transaction, which does not say which effect.
 * Sizes count what the plan itself brings: what an update finds in its item is DynamoDB's to judge.
 *
 * @rule R22
 * @throws SemelError `internal-error` that names the effects and items
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 * @example checkPlan([{ Delete: { Key: { pk: 'a' } } }, { Put: { Item: { pk: 'a' } } }], 'wallet')
 * // SemelError: Effects 0 and 1 both write {"pk":"a"} of wallet: …
 */
export function checkPlan(effects: readonly Effect[], defaultTable: string): void {
  if (effects.length > MOST_EFFECTS) {
    throw refused(`A plan has at most ${MOST_EFFECTS} effects, this one has ${effects.length}: split the operation.`);
  }
  const keyNames = keyNamesByTable(effects, defaultTable);
  const writes = effects.map((effect) => describeWrite(effect, defaultTable, keyNames));
  refuseSharedItems(writes);
  refuseLargeItems(writes);
}

function refuseSharedItems(writes: readonly Write[]): void {
  const seen = new Map<string, number>();
  for (const [index, { table, key }] of writes.entries()) {
    const identity = identify(table, key);
    const earlier = seen.get(identity);
    if (earlier !== undefined) {
      throw refused(
        `Effects ${earlier} and ${index} both write ${show(key)} of ${table}: a transaction takes one write per item, so merge them.`,
      );
    }
    seen.set(identity, index);
  }
}

function refuseLargeItems(writes: readonly Write[]): void {
  const index = writes.findIndex(({ size }) => size > LARGEST_ITEM);
  const large = writes[index];
  if (large !== undefined) {
    throw refused(
      `Effect ${index} writes ${show(large.key)} of ${large.table} with ${large.size} bytes; an item has at most ${LARGEST_ITEM}.`,
    );
  }
  const total = writes.reduce((sum, { size }) => sum + size, 0);
  if (total > LARGEST_TRANSACTION) {
    throw refused(
      `The plan's ${writes.length} effects write ${total} bytes; a transaction has at most ${LARGEST_TRANSACTION}.`,
    );
  }
}

function describeWrite(effect: Effect, defaultTable: string, keyNames: ReadonlyMap<string, readonly string[]>): Write {
  const {
    TableName: table = defaultTable,
    Item: item,
    Key: key = {},
    ExpressionAttributeValues: values = {},
  } = targetOf(effect);
  if (item !== undefined)
    return { table, key: pick(item, keyNames.get(table) ?? usualKey(item)), size: itemSize(item) };
  return { table, key, size: itemSize(key) + ('Update' in effect ? itemSize(values) : 0) };
}

/** A Put does not say which of its attributes are the key; another effect on the same table does. */
function keyNamesByTable(effects: readonly Effect[], defaultTable: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const { TableName: table = defaultTable, Key: key } of effects.map(targetOf)) {
    if (key !== undefined) names.set(table, Object.keys(key));
  }
  return names;
}

/** Where nothing tells, an item without the usual names is its own key: only its twin is surely the same item. */
const usualKey = (item: Item): readonly string[] => ('pk' in item ? ['pk', 'sk'] : Object.keys(item));

/** What the four kinds of effect have in common, and the one of Item and Key that each has. */
interface Target {
  readonly TableName?: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly ExpressionAttributeValues?: Item;
}

function targetOf(effect: Effect): Target {
  if ('Put' in effect) return effect.Put;
  if ('Update' in effect) return effect.Update;
  return 'Delete' in effect ? effect.Delete : effect.ConditionCheck;
}

const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.map((name) => [name, item[name]]));

/** Equal for equal keys of one table, whatever their members' order; 1 is told from '1', and bytes are read as such. */
function identify(table: string, key: Item): string {
  const members = Object.keys(key)
    .sort()
    .map((name) => [name, typeof key[name], key[name] instanceof Uint8Array ? toHex(key[name]) : String(key[name])]);
  return JSON.stringify([table, members]);
}

const show = (key: Item): string =>
  JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

const refused = (detail: string): SemelError => new SemelError('internal-error', detail);
