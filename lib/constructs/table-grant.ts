import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/**
 * A DynamoDB action on single items. Transactions have no action of their own: each item of a TransactWriteItems or
 * TransactGetItems is allowed or denied by the action of its kind.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
export type ItemAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

const READ_KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'];

/** What DynamoDB does with a customer key on a writer's behalf, written out: `kms:ReEncrypt*` would be a wildcard. */
const WRITE_KEY_ACTIONS = [
  ...READ_KEY_ACTIONS,
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * Allows exactly these actions on the table's items, and the use of its customer key where it has one.
 * `ITable.grant` is not used because it adds `<table>/index/*` to every statement of a table with an index.
 */
export const grantItems = (table: ITable, grantee: IGrantable, actions: readonly ItemAction[]): void => {
  if (actions.length === 0) return;
  allow(grantee, actions, table.tableArn);
  grantKey(table.encryptionKey, grantee, actions.every(isRead) ? READ_KEY_ACTIONS : WRITE_KEY_ACTIONS);
};

/** Allows `Query` on one index of the table, not on the table itself; or on the table itself, and no index. */
export const grantQuery = (table: ITable, grantee: IGrantable, index?: string): void => {
  allow(grantee, ['Query'], index === undefined ? table.tableArn : `${table.tableArn}/index/${index}`);
  grantKey(table.encryptionKey, grantee, READ_KEY_ACTIONS);
};

/**
 * Allows what a mapping needs to read the table's stream, and answers the stream's ARN. `ListStreams` is asked for before
 * a stream is chosen, so it is allowed on all streams of this one table; CDK's own grant allows it everywhere.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export const grantStream = (table: ITable, grantee: IGrantable): string => {
  const { tableStreamArn } = table;
  if (tableStreamArn === undefined) throw new Error(`${table.node.path} has no stream.`);
  allow(grantee, ['DescribeStream', 'GetRecords', 'GetShardIterator'], tableStreamArn);
  allow(grantee, ['ListStreams'], `${table.tableArn}/stream/*`);
  grantKey(table.encryptionKey, grantee, READ_KEY_ACTIONS);
  return tableStreamArn;
};

const isRead = (action: ItemAction): boolean => action === 'GetItem';

const allow = (grantee: IGrantable, actions: readonly string[], resourceArn: string): void => {
  Grant.addToPrincipal({
    grantee,
    actions: actions.map((action) => `dynamodb:${action}`),
    resourceArns: [resourceArn],
  }).assertSuccess();
};

const grantKey = (key: IKey | undefined, grantee: IGrantable, actions: readonly string[]): void => {
  key?.grant(grantee, ...actions).assertSuccess();
};
