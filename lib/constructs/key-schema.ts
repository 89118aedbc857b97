import { Stack } from 'aws-cdk-lib';
import type { CfnTable, ITable } from 'aws-cdk-lib/aws-dynamodb';

/** An attribute of a table's key. */
export interface KeyAttribute {
  readonly name: string;
  /** As CloudFormation writes it: `S`, `N` or `B`. */
  readonly type: string | undefined;
}

/**
 * The key of a table that is made in this app, partition key first; undefined for an imported one, whose key nobody here
 * knows.
 */
export function keySchemaOf(table: ITable): readonly KeyAttribute[] | undefined {
  const made = table.node.defaultChild as CfnTable | undefined;
  if (made?.keySchema === undefined) return undefined;
  const keys = resolved<CfnTable.KeySchemaProperty>(table, made.keySchema);
  const attributes = resolved<CfnTable.AttributeDefinitionProperty>(table, made.attributeDefinitions);
  return keys.map(({ attributeName: name }) => ({
    name,
    type: attributes.find(({ attributeName }) => attributeName === name)?.attributeType,
  }));
}

const resolved = <Property>(table: ITable, properties: unknown): readonly Property[] =>
  Stack.of(table).resolve(properties) ?? [];
