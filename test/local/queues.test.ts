import { describe, expect, it } from 'vitest';
import { useQueueCloud } from './queue-cloud.ts';
import { consumedQueue } from './queue-stack.ts';

const { callsOf, cloud, deadIn, deliveries, nameOf, post, printed, send, state, urlOf } = useQueueCloud({
  ...consumedQueue('Plain'),
  ...consumedQueue('OrdersFifo', { queue: { ContentBasedDeduplication: true } }),
  ...consumedQueue('Gathered', { mapping: { BatchSize: 4, MaximumBatchingWindowInSeconds: 2 } }),
  ...consumedQueue('Unreported', { mapping: { FunctionResponseTypes: [] } }),
  ...consumedQueue('Filtered', { mapping: { FilterCriteria: { Filters: [{ Pattern: '{"body":{"take":[1]}}' }] } } }),
});

const pks = async (...ids: string[]) => (await deliveries(...ids)).map(({ pk }) => pk);
const waitFor = (...ids: string[]) => ({
  toEqual: (expected: string[]) => expect.poll(() => pks(...ids), { timeout: 15_000 }).toEqual(expected),
});

describe('a queue', () => {
  it('brings its messages to the function, as Lambda does', async () => {
    const id = await send('Plain', { id: 'a' }, { attributes: { 'Semel-Event-Id': 'evt-1' } });
    await waitFor('a').toEqual(['a 1']);
    const [delivery] = await deliveries('a');
    expect(JSON.parse(String(delivery?.record))).toEqual({
      messageId: id,
      receiptHandle: expect.any(String),
      body: '{"id":"a"}',
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SenderId: expect.any(String),
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      },
      messageAttributes: {
        'Semel-Event-Id': { stringValue: 'evt-1', stringListValues: [], binaryListValues: [], dataType: 'String' },
      },
      md5OfBody: expect.stringMatching(/^[\da-f]{32}$/),
      md5OfMessageAttributes: expect.stringMatching(/^[\da-f]{32}$/),
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${nameOf('Plain')}`,
      awsRegion: 'us-east-1',
    });
    await expect
      .poll(async () => (await state()).queues.find(({ name }) => name === nameOf('Plain')))
      .toEqual({
        name: nameOf('Plain'),
        visible: 0,
        inFlight: 0,
        delayed: 0,
      });
  });

  it('delivers again exactly what failed, soon', async () => {
    const Entries = [{ id: 'b1' }, { id: 'b2', fail: 'once' }, { id: 'b3' }].map((order, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(order),
    }));
    expect((await post('/send-batch', { QueueUrl: urlOf('Plain'), Entries })).status).toBe(200);
    await waitFor('b1', 'b2', 'b3').toEqual(['b1 1', 'b2 1', 'b3 1', 'b2 2']);
  });

  it('delivers a whole batch again when the function throws', async () => {
    await send('Plain', { id: 'c', fail: 'throw-once' });
    await waitFor('c').toEqual(['c 1', 'c 2']);
    expect(printed.join('\n')).toContain('c as asked');
  });

  it('has all that was returned from handled, where the mapping asks for no reports', async () => {
    await send('Unreported', { id: 'd', fail: 'always' });
    await waitFor('d').toEqual(['d 1']);
    const left = async () => (await state()).queues.find(({ name }) => name === nameOf('Unreported'));
    await expect.poll(left).toMatchObject({ visible: 0, inFlight: 0 });
    expect(await pks('d')).toEqual(['d 1']);
  });

  it('gives a message up after three receives', async () => {
    const messageId = await send('Plain', { id: 'e', fail: 'always' });
    await expect
      .poll(() => deadIn('Plain'), { timeout: 15_000 })
      .toEqual([{ queue: nameOf('PlainDead'), eventId: messageId, reason: 'received too often' }]);
    expect(await pks('e')).toEqual(['e 1', 'e 2', 'e 3']);
  });

  it('leaves a message hidden for as long as the function has chosen', async () => {
    await send('Plain', { id: 'f', fail: 'hide' });
    await waitFor('f').toEqual(['f 1']);
    await new Promise((done) => setTimeout(done, 500));
    expect(await pks('f')).toEqual(['f 1']);
    expect((await state()).queues.find(({ name }) => name === nameOf('Plain'))).toMatchObject({ inFlight: 1 });
  });

  it('keeps order within groups, and lets other groups pass', async () => {
    await send('OrdersFifo', { id: 'g1', fail: 'once' }, { group: 'g' });
    await send('OrdersFifo', { id: 'g2' }, { group: 'g' });
    await send('OrdersFifo', { id: 'h1' }, { group: 'h' });
    await waitFor('g1', 'g2').toEqual(['g1 1', 'g1 2', 'g2 1']);
    const [first, second] = [await deliveries('h1'), await deliveries('g2')];
    expect(Number(first[0]?.begun)).toBeLessThan(Number(second[0]?.begun));
  });

  it('takes the same content once within five minutes, where it is told so', async () => {
    const ids = [
      await send('OrdersFifo', { id: 'i' }, { group: 'i' }),
      await send('OrdersFifo', { id: 'i' }, { group: 'i' }),
    ];
    expect(ids[0]).toBe(ids[1]);
    await waitFor('i').toEqual(['i 1']);
  });

  it('gathers a batch within its window', async () => {
    await send('Gathered', { id: 'j1' });
    await send('Gathered', { id: 'j2' });
    await expect
      .poll(async () => (await deliveries('j1', 'j2')).map(({ batch }) => batch), { timeout: 15_000 })
      .toEqual([2, 2]);
  });

  it('deletes unseen what the filter does not let through', async () => {
    await send('Filtered', { id: 'l1' });
    await send('Filtered', 'no JSON');
    await send('Filtered', { id: 'l2', take: 1 });
    await waitFor('l1', 'l2').toEqual(['l2 1']);
    await expect
      .poll(async () => (await state()).queues.find(({ name }) => name === nameOf('Filtered')))
      .toMatchObject({
        visible: 0,
        inFlight: 0,
      });
  });
});

describe('requests to a queue', () => {
  it('are recorded', async () => {
    const answer = await post('/send', { QueueUrl: urlOf('Plain'), MessageBody: '{"id":"m"}' });
    expect(await callsOf(answer)).toMatchObject([
      {
        action: 'sqs:SendMessage',
        queue: nameOf('Plain'),
        tables: [],
        items: 1,
        writeUnits: null,
        readUnits: null,
        status: 200,
        call: 1,
      },
    ]);
  });

  it('are denied where no policy allows them', async () => {
    const answer = await post('/send', { QueueUrl: urlOf('PlainDead'), MessageBody: 'x' });
    expect(await answer.json()).toMatchObject({
      name: expect.stringContaining('AccessDenied'),
      message: expect.stringContaining(
        `is not authorized to perform: sqs:SendMessage on resource: arn:aws:sqs:us-east-1:000000000000:${nameOf('PlainDead')}`,
      ),
    });
  });

  it('get a URL by which the proxy sees what follows', async () => {
    const answer = await fetch(`${cloud().url}/queue-url?${nameOf('Plain')}`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ QueueUrl: urlOf('Plain') });
  });

  it('meet the faults of an HTTP request: a lost answer makes two messages', async () => {
    const answer = await fetch(`${cloud().url}/send`, {
      method: 'POST',
      body: JSON.stringify({ QueueUrl: urlOf('Plain'), MessageBody: '{"id":"n"}' }),
      headers: { 'Local-Fault': 'lose-response=1' },
    });
    expect(answer.status).toBe(200);
    await expect.poll(async () => (await callsOf(answer)).map(({ status }) => status)).toEqual([0, 200]);
  });
});
