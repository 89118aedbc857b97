import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

type Position = 'TRIM_HORIZON' | 'LATEST';

interface Records {
  readonly Records: readonly DynamoDBRecord[];
  /** Absent once the shard is closed and read to its end. */
  readonly NextShardIterator?: string;
}

/** DynamoDB Local looks at the access key, and at no signature. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=LOCALCLOUD/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=local';

/** Reads what changes in a table, in order, from a stream of DynamoDB Local. */
export class TableStream {
  readonly #endpoint: string;
  readonly #arn: string;
  /** By shard; null: read to its end. */
  readonly #iterators = new Map<string, string | null>();

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
    await stream.#openShards(at.position);
    return stream;
  }

  /** The next records; none when there is nothing new. */
  async read(most: number): Promise<readonly DynamoDBRecord[]> {
    const records: DynamoDBRecord[] = [];
    for (const [shard, iterator] of this.#iterators) {
      if (iterator === null || records.length >= most) continue;
      const found = await this.#ask<Records>('GetRecords', { ShardIterator: iterator, Limit: most - records.length });
      records.push(...found.Records);
      this.#iterators.set(shard, found.NextShardIterator ?? null);
      // A closed shard has children, which hold what came later.
      if (found.NextShardIterator === undefined) await this.#openShards('TRIM_HORIZON');
    }
    return records;
  }

  /** Forgets what has not been read yet. */
  async skipToLatest(): Promise<void> {
    this.#iterators.clear();
    await this.#openShards('LATEST');
  }

  async #openShards(position: Position): Promise<void> {
    const { StreamDescription } = await this.#ask<{ StreamDescription: { Shards: readonly { ShardId: string }[] } }>(
      'DescribeStream',
      { StreamArn: this.#arn },
    );
    for (const { ShardId } of StreamDescription.Shards) {
      if (this.#iterators.has(ShardId)) continue;
      const request = { StreamArn: this.#arn, ShardId, ShardIteratorType: position };
      const { ShardIterator } = await this.#ask<{ ShardIterator: string }>('GetShardIterator', request);
      this.#iterators.set(ShardId, ShardIterator);
    }
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
