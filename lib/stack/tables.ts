import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

const tableProps = (removalPolicy: RemovalPolicy): TableProps => ({
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
  removalPolicy,
  deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
});

/** A key of the account's own for the tables, made anew each year; what it encrypted before stays readable. */
export const customerKey = (scope: Construct, removalPolicy: RemovalPolicy): Key =>
  new Key(scope, 'Key', { description: 'Encrypts the tables of Semel', enableKeyRotation: true, removalPolicy });

/** Made once, for good: with another one every idempotency key would be new, and every retry would run again. */
export const keyHashSecret = (scope: Construct, removalPolicy: RemovalPolicy): Secret => {
  const secret = new Secret(scope, 'KeySecret', {
    description: 'Idempotency keys are hashed under this. Never change it while there are records.',
    generateSecretString: { excludePunctuation: true, passwordLength: 64 },
    removalPolicy,
  });
  Validations.of(secret).acknowledge({ id: 'AwsSolutions::AwsSolutions-SMG4', reason: NEVER_ROTATED });
  return secret;
};

const NEVER_ROTATED = 'Rotating it would make every known idempotency key new, so that retries run a second time.';

/** Accounts, transfers, charges, ledger entries and API keys. An entry is found from the account on either side of it. */
export const dataTable = (
  scope: Construct,
  removalPolicy: RemovalPolicy,
  encryption: Pick<TableProps, 'encryptionKey'> = {},
): Table => {
  const table = new Table(scope, 'Data', {
    ...tableProps(removalPolicy),
    ...encryption,
    sortKey: { name: 'sk', type: AttributeType.STRING },
  });
  const sortKey = { name: 'entryUuid', type: AttributeType.STRING };
  table.addGlobalSecondaryIndex({
    indexName: 'byDebtor',
    partitionKey: { name: 'debitAccount', type: AttributeType.STRING },
    sortKey,
  });
  table.addGlobalSecondaryIndex({
    indexName: 'byCreditor',
    partitionKey: { name: 'creditAccount', type: AttributeType.STRING },
    sortKey,
  });
  return table;
};

/** The sandbox provider's charges and refunds, by id. */
export const providerTable = (scope: Construct, removalPolicy: RemovalPolicy): Table =>
  new Table(scope, 'Table', tableProps(removalPolicy));
