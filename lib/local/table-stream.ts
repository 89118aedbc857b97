import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

type Position = 'TRIM_HORIZON' | 'LATEST';

interface Found {
  readonly Records: readonly DynamoDBRecord[];
  /** Absent once the shard is closed and read to its end. */
  readonly NextShardIterator?: string;
}

/** How far a shard has been read. */
interface Progress {
  /** Undefined: read to its end. */
  readonly iterator: string | undefined;
  /** The last record that was read. */
  readonly sequenceNumber: string | undefined;
}

/** DynamoDB Local looks at the access key, and at no signature. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=LOCALCLOUD/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=local';

/** The most that one GetRecords gives. */
const MOST_RECORDS = 1_000;

/**
 * An iterator is of no use after a quarter of an hour. And DynamoDB Local numbers the records of all tables together, so
 * that one from before a stream's first record comes to lie before its beginning.
 */
const LOST_ITERATOR = /ExpiredIteratorException|TrimmedDataAccessException/;

/** Reads what changes in a table, in order, from a stream of DynamoDB Local. */
export class TableStream {
  readonly #endpoint: string;
  readonly #arn: string;
  readonly #shards = new Map<string, Progress>();

  private constructor(endpoint: string, arn: string) {
    this.#endpoint = endpoint;
    this.#arn = arn;
  }

  /** Opens the stream of a table. @throws Error when the table has none */
  static async open(
    table: string,
    at: { readonly endpoint: string; readonly client: DynamoDBDocumentClient; readonly position: Position },
  ): Promise<TableStream> {
    const { Table } = await at.client.send(new DescribeTableCommand({ TableName: table }));
    const stream = new TableStream(at.endpoint, String(Table?.LatestStreamArn));
    await stream.#openShards();
    if (at.position === 'LATEST') await stream.skipToLatest();
    return stream;
  }

  /** The next records; none when there is nothing new. */
  async read(most: number): Promise<readonly DynamoDBRecord[]> {
    const records: DynamoDBRecord[] = [];
    for (const [shard, { iterator }] of this.#shards) {
      const left = Math.min(most - records.length, MOST_RECORDS);
      if (iterator !== undefined && left > 0) records.push(...(await this.#readShard(shard, iterator, left)));
    }
    return records;
  }

  /** Forgets what has not been read yet. */
  async skipToLatest(): Promise<void> {
    while ((await this.read(MOST_RECORDS)).length > 0);
  }

  async #readShard(shard: string, iterator: string, most: number): Promise<readonly DynamoDBRecord[]> {
    const found = await this.#records(shard, iterator, most);
    const sequenceNumber = found.Records.at(-1)?.dynamodb?.SequenceNumber ?? this.#shards.get(shard)?.sequenceNumber;
    this.#shards.set(shard, { iterator: found.NextShardIterator, sequenceNumber });
    // A closed shard has children, which hold what came later.
    if (found.NextShardIterator === undefined) await this.#openShards();
    return found.Records;
  }

  async #records(shard: string, iterator: string, most: number): Promise<Found> {
    const ask = (ShardIterator: string) => this.#ask<Found>('GetRecords', { ShardIterator, Limit: most });
    try {
      return await ask(iterator);
    } catch (error) {
      if (!LOST_ITERATOR.test(String(error))) throw error;
      return ask(await this.#iteratorAfter(shard, this.#shards.get(shard)?.sequenceNumber));
    }
  }

  async #openShards(): Promise<void> {
    const { StreamDescription } = await this.#ask<{ StreamDescription: { Shards: readonly { ShardId: string }[] } }>(
      'DescribeStream',
      { StreamArn: this.#arn },
    );
    for (const { ShardId } of StreamDescription.Shards) {
      if (this.#shards.has(ShardId)) continue;
      this.#shards.set(ShardId, { iterator: await this.#iteratorAfter(ShardId, undefined), sequenceNumber: undefined });
    }
  }

  /** From the beginning of the shard, where nothing has been read of it. */
  async #iteratorAfter(ShardId: string, SequenceNumber: string | undefined): Promise<string> {
    const { ShardIterator } = await this.#ask<{ ShardIterator: string }>('GetShardIterator', {
      ...{ StreamArn: this.#arn, ShardId },
      ...(SequenceNumber === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber }),
    });
    return ShardIterator;
  }

  async #ask<Answer>(action: string, body: object): Promise<Answer> {
    const answer = await fetch(this.#endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `DynamoDBStreams_20120810.${action}`,
        Authorization: AUTHORIZATION,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${action} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
