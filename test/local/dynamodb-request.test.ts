import { describe, expect, it } from 'vitest';
import { readUnits, writeUnits } from '../../lib/local/capacity.ts';
import { readDynamoDbRequest } from '../../lib/local/dynamodb-request.ts';
import { itemSize } from '../../lib/local/item-size.ts';

const read = (action: string, body: Record<string, unknown>) => {
  const request = readDynamoDbRequest(action, body, (table) => `arn:${table}`);
  if (request === undefined) throw new Error(`${action} is not modelled`);
  return request;
};
const permissions = (action: string, body: Record<string, unknown>) =>
  read(action, body).permissions.map((permission) => `${permission.action} ${permission.resource}`);
const Key = { pk: { S: 'a' } };
const item = (bytes: number) => ({ pk: { S: 'x'.repeat(bytes - 2) } });

describe('readDynamoDbRequest asks for', () => {
  it.each(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable'])(
    '%s on its table',
    (action) => {
      expect(permissions(action, { TableName: 'T', Key })).toEqual([`dynamodb:${action} arn:T`]);
    },
  );

  it('an index where the request names one', () => {
    expect(permissions('Query', { TableName: 'T', IndexName: 'I' })).toEqual(['dynamodb:Query arn:T/index/I']);
  });

  it("a table by its name where the request has the table's ARN", () => {
    expect(permissions('GetItem', { TableName: 'arn:aws:dynamodb:us-east-1:1:table/T', Key })).toEqual([
      'dynamodb:GetItem arn:T',
    ]);
  });

  it('each kind of a transaction once per table', () => {
    const TransactItems = [
      { Put: { TableName: 'T', Item: Key } },
      { Put: { TableName: 'T', Item: Key } },
      { Put: { TableName: 'U', Item: Key } },
      { Update: { TableName: 'T', Key } },
      { Delete: { TableName: 'T', Key } },
      { ConditionCheck: { TableName: 'T', Key } },
    ];
    expect(permissions('TransactWriteItems', { TransactItems })).toEqual([
      'dynamodb:PutItem arn:T',
      'dynamodb:PutItem arn:U',
      'dynamodb:UpdateItem arn:T',
      'dynamodb:DeleteItem arn:T',
      'dynamodb:ConditionCheckItem arn:T',
    ]);
    expect(permissions('TransactGetItems', { TransactItems: [{ Get: { TableName: 'T', Key } }] })).toEqual([
      'dynamodb:GetItem arn:T',
    ]);
  });

  it('batches by their own actions', () => {
    expect(permissions('BatchGetItem', { RequestItems: { T: { Keys: [Key, Key] }, U: { Keys: [Key] } } })).toEqual([
      'dynamodb:BatchGetItem arn:T',
      'dynamodb:BatchGetItem arn:U',
    ]);
    expect(
      permissions('BatchWriteItem', {
        RequestItems: { T: [{ PutRequest: { Item: Key } }, { DeleteRequest: { Key } }] },
      }),
    ).toEqual(['dynamodb:BatchWriteItem arn:T']);
  });

  it('everything where no table is named', () => {
    expect(permissions('ListTables', {})).toEqual(['dynamodb:ListTables *']);
  });

  it('nothing for PartiQL, which is not modelled', () => {
    expect(readDynamoDbRequest('ExecuteStatement', { Statement: 'SELECT' }, String)).toBeUndefined();
    expect(readDynamoDbRequest('ExecuteTransaction', {}, String)).toBeUndefined();
  });
});

describe('readDynamoDbRequest counts', () => {
  it('items, where the request tells', () => {
    const TransactItems = [{ Put: { TableName: 'T', Item: Key } }, { Update: { TableName: 'U', Key } }];
    expect(read('TransactWriteItems', { TransactItems })).toMatchObject({
      items: 2,
      tables: ['T', 'U'],
      transactional: true,
    });
    expect(read('Query', { TableName: 'T' }).items).toBeUndefined();
    expect(read('GetItem', { TableName: 'T', Key }).items).toBe(1);
  });

  it('the operation of a record that it puts', () => {
    const Item = { pk: { S: 'key#1' }, operationId: { S: 'op_1' } };
    expect(read('PutItem', { TableName: 'T', Item }).operationId).toBe('op_1');
    expect(read('PutItem', { TableName: 'T', Item: Key }).operationId).toBeUndefined();
  });
});

describe('itemSize', () => {
  it.each<[Record<string, Record<string, unknown>>, number]>([
    [{ a: { S: 'é€' } }, 6],
    [{ a: { N: '1234' } }, 4],
    [{ a: { N: '-12.5' } }, 5],
    [{ a: { N: '1000' } }, 3],
    [{ a: { B: 'AP8=' } }, 3],
    [{ a: { BOOL: false } }, 2],
    [{ a: { NULL: true } }, 2],
    [{ a: { SS: ['x', 'yz'] } }, 4],
    [{ a: { L: [{ S: 'x' }, { BOOL: true }] } }, 1 + 3 + 2 + 2],
    [{ a: { M: { b: { S: 'x' } } } }, 1 + 3 + 2 + 1],
  ])('of %j is %i', (attributes, size) => {
    expect(itemSize(attributes)).toBe(size);
  });
});

describe('capacity', () => {
  it('writes a unit for each kilobyte begun, twice that in a transaction', () => {
    const put = (bytes: number) => read('PutItem', { TableName: 'T', Item: item(bytes) });
    expect([1024, 1025].map((bytes) => writeUnits(put(bytes)))).toEqual([1, 2]);
    const TransactItems = [{ Put: { TableName: 'T', Item: item(1025) } }, { ConditionCheck: { TableName: 'T', Key } }];
    const transaction = read('TransactWriteItems', { TransactItems });
    expect(writeUnits(transaction)).toBeNull();
    expect(writeUnits(transaction, () => 10)).toBe(6);
  });

  it('reads half a unit for four kilobytes begun, one if consistent, two in a transaction', () => {
    const Item = item(4097);
    const get = (ConsistentRead: boolean) => read('GetItem', { TableName: 'T', Key, ConsistentRead });
    expect([readUnits(get(false), { Item }), readUnits(get(true), { Item }), readUnits(get(true), {})]).toEqual([
      1, 2, 1,
    ]);
    const TransactItems = [{ Get: { TableName: 'T', Key } }, { Get: { TableName: 'T', Key } }];
    expect(readUnits(read('TransactGetItems', { TransactItems }), { Responses: [{ Item }, {}] })).toBe(6);
    expect(readUnits(read('Query', { TableName: 'T' }), { Items: [item(4000), item(97)] })).toBe(1);
  });
});
