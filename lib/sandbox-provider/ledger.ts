import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

/** A charge or refund as the provider keeps it. */
export interface Movement {
  readonly id: string;
  /** The client's own name for it. */
  readonly reference: string;
  readonly amount: number;
  readonly status: 'succeeded' | 'declined';
}

export interface Charge extends Movement {
  readonly currency: string;
  readonly source: string;
  /** What of it has not been refunded. */
  readonly refundable: number;
}

export interface Refund extends Movement {
  /** The id of the charge. */
  readonly charge: string;
}

/** What is kept, and whether it was kept just now. */
export interface Kept<Kind> {
  readonly kept: Kind;
  readonly fresh: boolean;
}

/** Other refunds of the same charge may be in the way so often before the provider gives up with a 500. */
const MOST_TRIES = 5;

/** The provider's charges and refunds, in a table of its own: each is written once, under its id. */
export class Ledger {
  readonly #client: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  findCharge(id: string): Promise<Charge | undefined> {
    return this.#find(`charge#${id}`);
  }

  findRefund(id: string): Promise<Refund | undefined> {
    return this.#find(`refund#${id}`);
  }

  /** Keeps a charge, unless one of its id is kept already. */
  async keepCharge(charge: Charge): Promise<Kept<Charge>> {
    try {
      await this.#client.send(new PutCommand(this.#newItem(`charge#${charge.id}`, charge)));
      return { kept: charge, fresh: true };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { kept: (await this.findCharge(charge.id)) ?? charge, fresh: false };
    }
  }

  /** Keeps a refund and takes it from its charge; undefined when too little is left of that, or it is not there. */
  async keepRefund(refund: Refund, tries = MOST_TRIES): Promise<Kept<Refund> | undefined> {
    try {
      await this.#client.send(new TransactWriteCommand({ TransactItems: this.#refundWrites(refund) }));
      return { kept: refund, fresh: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const earlier = await this.findRefund(refund.id);
      if (earlier !== undefined) return { kept: earlier, fresh: false };
      if (error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed')) return undefined;
      if (tries === 1) throw error;
      return this.keepRefund(refund, tries - 1);
    }
  }

  async #find<Kind>(pk: string): Promise<Kind | undefined> {
    const get = new GetCommand({ TableName: this.#table, Key: { pk }, ConsistentRead: true });
    return (await this.#client.send(get)).Item as Kind | undefined;
  }

  #newItem(pk: string, movement: Movement) {
    return {
      TableName: this.#table,
      Item: { pk, ...movement },
      ConditionExpression: 'attribute_not_exists(pk)',
    };
  }

  #refundWrites(refund: Refund) {
    const takeFromCharge = {
      TableName: this.#table,
      Key: { pk: `charge#${refund.charge}` },
      UpdateExpression: 'SET refundable = refundable - :amount',
      ConditionExpression: 'refundable >= :amount',
      ExpressionAttributeValues: { ':amount': refund.amount },
    };
    return [{ Put: this.#newItem(`refund#${refund.id}`, refund) }, { Update: takeFromCharge }];
  }
}
