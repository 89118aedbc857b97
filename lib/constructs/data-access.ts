import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ENVIRONMENT } from '../environment.ts';
import { grantItems, grantQuery, type ItemAction } from './table-grant.ts';

/** What a function may do with the application's own table. One that holds API keys has the keys `pk` and `sk`, both strings. */
export interface DataAccess {
  readonly table: ITable;
  /** The actions on single items: what the handler reads, and one per kind of effect in its plans. */
  readonly actions: readonly ItemAction[];
  /** The names of the indexes that may be queried. @default none */
  readonly queryIndexes?: readonly string[];
  /** May the table itself be queried? @default false */
  readonly queryTable?: boolean;
}

/** Gives a function its data table: permission and table name together. */
export const grantData = (fn: LambdaFunction, access: DataAccess): void => {
  grantItems(access.table, fn, access.actions);
  for (const index of access.queryIndexes ?? []) grantQuery(access.table, fn, index);
  if (access.queryTable) grantQuery(access.table, fn);
  fn.addEnvironment(ENVIRONMENT.dataTable, access.table.tableName);
};
