import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createTables, deleteTables, localClient } from '../../lib/local/tables.ts';
import { useQueueCloud } from './queue-cloud.ts';
import { resource, streamConsumer } from './queue-stack.ts';

const failures = { 'Fn::GetAtt': ['Failures', 'Arn'] };

const { cloud, post, printed, state } = useQueueCloud({
  Failures: resource('AWS::SQS::Queue', {}),
  ...streamConsumer('Copy', 'copied#'),
  ...streamConsumer('FromTheBeginning', 'early#', { StartingPosition: 'TRIM_HORIZON' }),
  ...streamConsumer('Bounded', 'bounded#', {
    MaximumRetryAttempts: 2,
    BisectBatchOnFunctionError: true,
    MaximumBatchingWindowInSeconds: 1,
    DestinationConfig: { OnFailure: { Destination: failures } },
  }),
});

const put = async (pk: string, more: object = {}) =>
  expect((await post('/put', { pk: { S: pk }, sk: { S: 'original' }, ...more })).status).toBe(200);
const copies = async () => (await state()).entries.map(({ pk }) => pk).filter((pk) => pk.startsWith('copy of '));
const waitForCopies = (prefix: string) =>
  expect.poll(async () => (await copies()).filter((pk) => pk.startsWith(`copy of ${prefix}`)).sort(), {
    timeout: 15_000,
  });

describe('a stream', () => {
  it('is followed from before its first record, while other tables change', async () => {
    const client = localClient(cloud().dynamodbEndpoint);
    const other = `Other-${crypto.randomUUID()}`;
    const key = { KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }] };
    const AttributeDefinitions = [{ AttributeName: 'pk', AttributeType: 'S' as const }];
    await createTables(client, [{ TableName: other, ...key, AttributeDefinitions, timeToLive: undefined }]);
    await client.send(new PutCommand({ TableName: other, Item: { pk: 'a' } }));
    await client.send(new PutCommand({ TableName: other, Item: { pk: 'b' } }));
    await new Promise((done) => setTimeout(done, 400));
    await put('early#1');
    await waitForCopies('early#').toEqual(['copy of early#1']);
    await deleteTables(client, [other]);
    expect(printed.join('\n')).not.toContain('Exception');
  });

  it('brings what is put to the function, as Lambda does, and nothing that the filter keeps out', async () => {
    await put('other#1');
    await put('copied#a1', { number: { N: '7' } });
    await waitForCopies('copied#a').toEqual(['copy of copied#a1']);
    expect(await copies()).not.toContain('copy of other#1');
    const entry = (await state()).entries.find(({ pk }) => pk === 'copy of copied#a1');
    expect(JSON.parse(String(entry?.record))).toMatchObject({
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: expect.stringMatching(
        /^arn:aws:dynamodb:us-east-1:000000000000:table\/Tiny-Table-\w+\/stream\/local$/,
      ),
      dynamodb: {
        Keys: { pk: { S: 'copied#a1' }, sk: { S: 'original' } },
        NewImage: { number: { N: '7' } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
  });

  it('goes on from the record that failed', async () => {
    await put('copied#b1');
    await put('copied#b2', { fail: { S: 'once' } });
    await put('copied#b3');
    await waitForCopies('copied#b').toEqual(['copy of copied#b1', 'copy of copied#b2', 'copy of copied#b3']);
  });

  it('halves a batch that fails as a whole, and reports what it gives up', async () => {
    await put('bounded#c1');
    await put('bounded#c2', { fail: { S: 'throw' } });
    await put('bounded#c3');
    await waitForCopies('bounded#c').toEqual(['copy of bounded#c1', 'copy of bounded#c3']);
    await expect
      .poll(async () => (await state()).queues.find(({ name }) => name.includes('Failures')), { timeout: 15_000 })
      .toMatchObject({ visible: 1 });
  });

  it('forgets at a reset what it has not delivered', async () => {
    await put('copied#d1', { fail: { S: 'always' } });
    await new Promise((done) => setTimeout(done, 400));
    // Behind the one that fails, so it has not been read yet.
    await put('copied#d2');
    expect((await fetch(`${cloud().url}/_local/reset`, { method: 'POST' })).status).toBe(204);
    await put('copied#d3');
    await waitForCopies('copied#d').toEqual(['copy of copied#d3']);
  });
});
