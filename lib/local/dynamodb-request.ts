import type { AttributeMap } from './item-size.ts';

/** What IAM is asked about: one action on one resource. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
}

/** One item that a request writes: its new content where the request carries it, else only its key. */
interface ItemWrite {
  readonly table: string;
  readonly item?: AttributeMap;
  readonly key?: AttributeMap;
}

/** A request to DynamoDB, as far as permissions, faults and counting need it. */
export interface DynamoDbRequest {
  readonly service: 'dynamodb';
  readonly action: string;
  readonly tables: readonly string[];
  readonly permissions: readonly Permission[];
  readonly writes: readonly ItemWrite[];
  /** How many items it names; undefined where the answer decides (Query, Scan). */
  readonly items: number | undefined;
  readonly transactional: boolean;
  readonly consistentRead: boolean;
  /** The operation id on an item that it puts: a record carries its own. */
  readonly operationId: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;
type Target = Body & { readonly TableName?: string };

/** The kinds of a transaction's members and the actions that allow them: transactions have none of their own. */
const MEMBER_ACTIONS = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};
const SINGLE_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/**
 * Reads a request to DynamoDB. `arnOf` gives a table's ARN.
 * @returns undefined for what is not modelled: PartiQL
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function readDynamoDbRequest(
  action: string,
  body: Body,
  arnOf: (table: string) => string,
): DynamoDbRequest | undefined {
  if (/Statement|ExecuteTransaction/.test(action)) return undefined;
  const targets = readTargets(action, body);
  const tables = [...new Set(targets.map(({ table }) => table))];
  const writes = targets.flatMap((target) => (target.write === undefined ? [] : [target.write]));
  return {
    service: 'dynamodb',
    action,
    tables,
    writes,
    permissions: permissionsOf(targets, arnOf, action),
    items: /^(Query|Scan)$/.test(action) ? undefined : targets.length,
    transactional: action.startsWith('Transact'),
    consistentRead: body.ConsistentRead === true,
    operationId: writes.map(({ item }) => item?.operationId?.S).find((id) => typeof id === 'string') as
      | string
      | undefined,
  };
}

/** One thing that a request does: an action on a table or on one of its indexes. */
interface Step {
  readonly action: string;
  readonly table: string;
  readonly index?: string | undefined;
  readonly write?: ItemWrite | undefined;
}

function readTargets(action: string, body: Body): Step[] {
  if (action.startsWith('Transact')) return ((body.TransactItems ?? []) as Body[]).flatMap(readMember);
  if (action.startsWith('Batch')) return readBatch(action, (body.RequestItems ?? {}) as Record<string, unknown>);
  const { TableName, IndexName } = body as Target & { IndexName?: string };
  if (TableName === undefined) return [];
  const table = tableName(TableName);
  return [{ action, table, index: IndexName, write: SINGLE_WRITES.has(action) ? writeOf(table, body) : undefined }];
}

function readMember(member: Body): Step[] {
  return Object.entries(MEMBER_ACTIONS).flatMap(([kind, action]) => {
    const target = member[kind] as Target | undefined;
    if (target === undefined) return [];
    const table = tableName(String(target.TableName));
    return [{ action, table, write: kind === 'Get' ? undefined : writeOf(table, target) }];
  });
}

function readBatch(action: string, requests: Record<string, unknown>): Step[] {
  return Object.entries(requests).flatMap(([name, request]) => {
    const table = tableName(name);
    if (!Array.isArray(request)) return ((request as { Keys?: unknown[] }).Keys ?? []).map(() => ({ action, table }));
    return (request as { PutRequest?: Body; DeleteRequest?: Body }[]).map(({ PutRequest, DeleteRequest }) => ({
      action,
      table,
      write: writeOf(table, PutRequest ?? DeleteRequest ?? {}),
    }));
  });
}

const writeOf = (table: string, { Item, Key }: Body): ItemWrite => ({
  table,
  ...(Item !== undefined && { item: Item as AttributeMap }),
  ...(Key !== undefined && { key: Key as AttributeMap }),
});

/** Requests may name a table by its ARN. */
const tableName = (nameOrArn: string): string => nameOrArn.replace(/^arn:[^/]*:table\//, '');

function permissionsOf(steps: readonly Step[], arnOf: (table: string) => string, action: string): Permission[] {
  if (steps.length === 0) return [{ action: `dynamodb:${action}`, resource: '*' }];
  const asked = steps.map(({ action: step, table, index }) => ({
    action: `dynamodb:${step}`,
    resource: index === undefined ? arnOf(table) : `${arnOf(table)}/index/${index}`,
  }));
  return [...new Map(asked.map((permission) => [`${permission.action} ${permission.resource}`, permission])).values()];
}
