import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../environment.ts';
import { grantItems, grantQuery, type ItemAction } from './table-grant.ts';

export interface IdempotencyTableProps {
  /** The customer key that encrypts the table. @default a key that AWS owns, free of charge */
  readonly encryptionKey?: IKey;
  /**
   * Makes the hashes of keys HMACs under this secret, so that who reads the table cannot test guesses of keys. It must
   * never change while there are records: every key would be new. CloudFormation puts it into the environment of the
   * functions that hash keys, where whoever may read a function's configuration sees it.
   * @default plain SHA-256: enough where keys are random, as the client's are
   */
  readonly keySecret?: ISecret;
  /**
   * What becomes of the table when its stack is deleted. RETAIN also protects it from deletion: without its records
   * every retry runs again.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Uses this table instead of a new one. It must have what a new one has: the key `pk`, the index
   * `IdempotencyTable.UNFINISHED_INDEX`, TTL on `expiresAt`, and for an outbox a stream of new images.
   * @default a new table
   */
  readonly existing?: ITable;
}

/** One transaction puts the completed record; a lost race or a hinted retry reads it. */
const ATOMIC: readonly ItemAction[] = ['GetItem', 'PutItem'];
/** A lease is claimed, extended, lapsed and completed by putting the whole record anew, and released by a delete. */
const LEASED: readonly ItemAction[] = [...ATOMIC, 'DeleteItem'];

/**
 * The table of records, markers, inboxes and the outbox; each grant gives permission and table name together.
 *
 * A `Table`, not a `TableV2`: replicas merge writes by "last writer wins", and a claim that can lose after it was
 * confirmed is no claim, so the table stays in one Region.
 * @example
 * const idempotency = new IdempotencyTable(this, 'Idempotency');
 * idempotency.grantAtomic(createTransfer); // may dynamodb:GetItem and PutItem; IDEMPOTENCY_TABLE_NAME is set
 */
export class IdempotencyTable extends Construct {
  /** The sparse index over unfinished leased records, by shard and end of lease. */
  static readonly UNFINISHED_INDEX = 'unfinished';

  readonly table: ITable;
  private readonly keySecret: ISecret | undefined;

  constructor(scope: Construct, id: string, props: IdempotencyTableProps = {}) {
    super(scope, id);
    this.table = props.existing ?? this.newTable(props);
    this.keySecret = props.keySecret;
  }

  /**
   * The table of another stack, in the same account and Region.
   *
   * One that a customer key encrypts, or whose stream an `Outbox` reads, is imported by its attributes:
   * `new IdempotencyTable(this, 'Idempotency', { existing: Table.fromTableAttributes(…) })`.
   * @example const idempotency = IdempotencyTable.fromTableName(this, 'Idempotency', 'payments-idempotency');
   */
  static fromTableName(scope: Construct, id: string, tableName: string): IdempotencyTable {
    return new IdempotencyTable(scope, id, { existing: Table.fromTableName(scope, `${id}Import`, tableName) });
  }

  private newTable({ encryptionKey, removalPolicy = RemovalPolicy.RETAIN }: IdempotencyTableProps): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      stream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryptionKey,
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    });
    // Keys only: whoever finds a record here must read the record itself before taking it over, as the index lags.
    table.addGlobalSecondaryIndex({
      indexName: IdempotencyTable.UNFINISHED_INDEX,
      partitionKey: { name: 'pendingShard', type: AttributeType.STRING },
      sortKey: { name: 'leaseUntil', type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    return table;
  }

  /** Lets a function run `atomic` operations. */
  grantAtomic(fn: LambdaFunction): void {
    this.grant(fn, ATOMIC);
    this.giveKeySecret(fn);
  }

  /** Lets a function run `leased` operations (and `atomic` ones: they need less). */
  grantLeased(fn: LambdaFunction): void {
    this.grant(fn, LEASED);
    this.giveKeySecret(fn);
  }

  /** Lets a function read records, to show an operation's status. */
  grantRead(fn: LambdaFunction): void {
    this.grant(fn, ['GetItem']);
  }

  /**
   * Lets a function find unfinished `leased` operations and finish them. A takeover is never released, so it deletes
   * nothing.
   */
  grantReconcile(fn: LambdaFunction): void {
    this.grant(fn, ATOMIC);
    grantQuery(this.table, fn, IdempotencyTable.UNFINISHED_INDEX);
  }

  /** Lets a function apply the messages of a sequence: each write advances a mark that is there. */
  grantSequence(fn: LambdaFunction): void {
    this.grant(fn, ['GetItem', 'UpdateItem']);
  }

  /** Lets a function take out of the outbox what it has sent; the stream brings it. */
  grantRelay(fn: LambdaFunction): void {
    this.grant(fn, ['DeleteItem']);
  }

  /** Lets a function find what was left over in the outbox, and take it out. */
  grantSweep(fn: LambdaFunction): void {
    this.grant(fn, ['GetItem', 'DeleteItem']);
    grantQuery(this.table, fn, IdempotencyTable.UNFINISHED_INDEX);
  }

  /** In the environment rather than read at run time: hashing a key must not wait for, or fail with, another service. */
  private giveKeySecret(fn: LambdaFunction): void {
    if (this.keySecret === undefined) return;
    fn.addEnvironment(ENVIRONMENT.keySecret, this.keySecret.secretValue.unsafeUnwrap());
  }

  private grant(fn: LambdaFunction, actions: readonly ItemAction[]): void {
    grantItems(this.table, fn, actions);
    fn.addEnvironment(ENVIRONMENT.idempotencyTable, this.table.tableName);
  }
}
