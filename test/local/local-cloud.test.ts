import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RecordedCall } from '../../lib/local/call-log.ts';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { tinyTemplate, writeAssembly } from './tiny-stack.ts';

let cloud: LocalCloud;
let assembly: Awaited<ReturnType<typeof writeAssembly>>;
const printed: string[] = [];
const seed = [{ table: 'data' as const, Item: { pk: 'seeded', sk: 'entry', attempt: 'seed' } }];

beforeAll(async () => {
  assembly = await writeAssembly(tinyTemplate());
  cloud = await startLocalCloud({
    assembly: assembly.directory,
    port: 0,
    dynamodbEndpoint: inject('dynamodb'),
    seed,
    log: (line) => printed.push(line),
    environment: { EXTRA: 'given' },
  });
});
afterAll(async () => {
  await cloud.stop();
  assembly.remove();
});

const send = (path: string, init: RequestInit = {}) => fetch(cloud.url + path, init);
const withFault = (fault: string): RequestInit => ({ headers: { 'Local-Fault': fault } });
const json = async <T>(path: string): Promise<T> => (await (await send(path)).json()) as T;
const callsOf = async (query: string): Promise<RecordedCall[]> =>
  (await json<{ calls: RecordedCall[] }>(`/_local/calls?${query}`)).calls;
const callsOfAnswer = (answer: Response) => callsOf(`request=${answer.headers.get('apigw-requestid')}`);
const entryIds = async (): Promise<unknown[]> =>
  (await json<{ entries: { pk: string }[] }>('/_local/state')).entries.map(({ pk }) => pk);
let ids = 0;
const newId = () => `id-${++ids}`;

describe('functions', () => {
  it('get the event of an HTTP API, a context and the environment of the template', async () => {
    const echoed = await (
      await send('/echo?a=1', { method: 'POST', body: '{"x":1}', headers: { 'Content-Type': 'application/json' } })
    ).json();
    expect(echoed).toMatchObject({
      event: {
        version: '2.0',
        routeKey: 'ANY /{path}',
        rawPath: '/echo',
        rawQueryString: 'a=1',
        body: '{"x":1}',
        pathParameters: { path: 'echo' },
      },
      context: {
        functionName: 'Tiny-Function',
        memoryLimitInMB: '256',
        awsRequestId: expect.stringMatching(/^[\da-f-]{36}$/),
      },
      env: {
        AWS_REGION: 'us-east-1',
        DATA_TABLE_NAME: cloud.tableNames.data,
        EXTRA: 'given',
        AWS_ACCESS_KEY_ID: expect.stringMatching(/^[A-Z\d]+$/),
      },
    });
    const { left } = echoed as { left: number };
    expect(left).toBeGreaterThan(1500);
    expect(left).toBeLessThanOrEqual(2000);
  });

  it('stay warm from one request to the next', async () => {
    const first = Number(await (await send('/count')).text());
    expect(Number(await (await send('/count')).text())).toBe(first + 1);
  });

  it('print to the log', async () => {
    await send('/print');
    await expect.poll(() => printed).toContain('printed by the function');
  });

  it.each([
    ['/bare', 200, 'just text'],
    ['/none', 204, ''],
    ['/broken', 500, '{"message":"Internal Server Error"}'],
    ['/throw', 500, '{"message":"Internal Server Error"}'],
    ['/exit', 502, '{"message":"Bad Gateway"}'],
    ['/sleep?ms=5000', 500, '{"message":"Internal Server Error"}'],
    ['/spin', 500, '{"message":"Internal Server Error"}'],
    ['/not/there', 404, '{"message":"Not Found"}'],
  ])('%s is answered %i', async (path, status, body) => {
    const answer = await send(path);
    expect([answer.status, await answer.text()]).toEqual([status, body]);
  });

  it('set cookies and headers, and answer bytes', async () => {
    const { headers } = await send('/cookies');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(headers.get('x-mixed')).toBe('case');
    expect([...new Uint8Array(await (await send('/binary')).arrayBuffer())]).toEqual([0, 255]);
  });

  it('work on a hundred requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => send('/sleep?ms=20')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('refuse bodies over 10 MB', async () => {
    const answer = await send('/echo', { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });
    expect([answer.status, await answer.text()]).toEqual([413, '{"message":"Request Entity Too Large"}']);
  });
});

describe('permissions', () => {
  it('let through what the policy allows, on an index too', async () => {
    expect((await send(`/put?id=${newId()}`)).status).toBe(200);
    expect((await send('/query-index?index=byAttempt')).status).toBe(200);
  });

  it.each(['/scan', '/query-index?index=hidden'])('deny %s as AWS does', async (path) => {
    const answer = await send(path);
    expect(answer.status).toBe(418);
    expect(await answer.json()).toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringMatching(
        /^User: arn:aws:sts::123456789012:assumed-role\/Tiny-Role\/Tiny-Function is not authorized to perform: dynamodb:(Scan|Query) on resource: arn:aws:dynamodb:us-east-1:123456789012:table\/Tiny-Table-[\da-f]{6}(\/index\/hidden)? because no identity-based policy allows the dynamodb:(Scan|Query) action$/,
      ),
    });
  });
});

describe('calls', () => {
  it('are recorded with what they touched and cost', async () => {
    const id = newId();
    const [call, ...others] = await callsOfAnswer(await send(`/transact?id=${id}`));
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      function: 'Tiny-Function',
      operation: `op_${id}`,
      call: 1,
      action: 'dynamodb:TransactWriteItems',
      tables: [cloud.tableNames.data],
      items: 2,
      writeUnits: 4,
      status: 200,
      error: null,
      fault: null,
    });
  });

  it('are found by operation, after a crash too', async () => {
    const id = newId();
    await send(`/transact?id=${id}`, withFault('crash-after=1'));
    expect(await callsOf(`operation=op_${id}`)).toHaveLength(1);
    await send(`/transact?id=${id}`);
    expect(await callsOf(`operation=op_${id}`)).toHaveLength(2);
  });
});

describe('faults', () => {
  it('drop-response does the work and cuts the connection', async () => {
    const id = newId();
    await expect(send(`/put?id=${id}`, withFault('drop-response'))).rejects.toThrow('fetch failed');
    expect(await entryIds()).toContain(id);
  });

  it('crash-before=2 leaves the first write and not the second', async () => {
    const id = newId();
    expect((await send(`/put-twice?id=${id}`, withFault('crash-before=2'))).status).toBe(502);
    expect(await entryIds()).toContain(`${id}-1`);
    expect(await entryIds()).not.toContain(`${id}-2`);
  });

  it('crash-after=1 leaves the write, though the function never learned of it', async () => {
    const id = newId();
    const answer = await send(`/put-twice?id=${id}`, withFault('crash-after=1'));
    expect(answer.status).toBe(502);
    expect(await entryIds()).toContain(`${id}-1`);
    expect(await entryIds()).not.toContain(`${id}-2`);
    expect(await callsOfAnswer(answer)).toMatchObject([{ call: 1, fault: 'crash-after', status: 0 }]);
  });

  it('lose-response=1 makes the SDK send its write again, onto itself', async () => {
    const answer = await send(`/put?id=${newId()}`, withFault('lose-response=1'));
    expect(await answer.json()).toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await callsOfAnswer(answer)).toMatchObject([
      { call: 1, fault: 'lose-response', status: 0 },
      { call: 2, fault: null, status: 400, error: 'ConditionalCheckFailedException' },
    ]);
  });

  it('throttle=1 is retried by the SDK', async () => {
    const answer = await send(`/put?id=${newId()}`, withFault('throttle=1'));
    expect(answer.status).toBe(200);
    expect(await callsOfAnswer(answer)).toMatchObject([
      { error: 'ThrottlingException', fault: 'throttle' },
      { status: 200 },
    ]);
  });

  it('conflict=1 cancels a transaction and refuses a single write, neither of which the SDK retries', async () => {
    const transaction = await send(`/transact?id=${newId()}`, withFault('conflict=1'));
    expect(await transaction.json()).toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    const id = newId();
    const write = await send(`/put?id=${id}`, withFault('conflict=1'));
    expect(await write.json()).toMatchObject({ name: 'TransactionConflictException' });
    expect(await entryIds()).not.toContain(id);
  });

  it('delay=100 holds each call back', async () => {
    const id = newId();
    const started = performance.now();
    await send(`/put-twice?id=${id}`, withFault('delay=100'));
    expect(performance.now() - started).toBeGreaterThan(200);
  });

  it('several at once all strike', async () => {
    const answer = await send(`/put-twice?id=${newId()}`, withFault('throttle=1, crash-after=3'));
    expect(answer.status).toBe(502);
    expect((await callsOfAnswer(answer)).map(({ fault }) => fault)).toEqual(['throttle', null, 'crash-after']);
  });

  it('that are unknown are refused, and none reaches the function', async () => {
    const answer = await send('/echo', withFault('explode'));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ title: 'Unknown fault', detail: expect.stringContaining('"explode"') });
    const echoed = await (await send('/echo', withFault('delay=1'))).json();
    expect(Object.keys((echoed as { event: { headers: object } }).event.headers)).not.toContain('local-fault');
  });
});

describe('an outage', () => {
  it('cuts every call, and all goes on when it is over', async () => {
    cloud.proxy.outage(true);
    const answer = await send(`/put?id=${newId()}`);
    cloud.proxy.outage(false);
    expect(answer.status).toBe(418);
    expect(await callsOfAnswer(answer)).toMatchObject([{ fault: 'outage' }, { fault: 'outage' }, { fault: 'outage' }]);
    expect((await send(`/put?id=${newId()}`)).status).toBe(200);
  });
});

describe('the local routes', () => {
  it('reset to the seed and an empty call log', async () => {
    await send(`/put?id=${newId()}`);
    expect((await send('/_local/reset', { method: 'POST' })).status).toBe(204);
    expect(await json('/_local/state')).toEqual({
      records: [],
      entries: [seed[0]?.Item],
      providerCharges: [],
      queues: [],
      deadLetters: [],
    });
    expect(await callsOf('')).toEqual([]);
  });

  it('are the ones named', async () => {
    expect((await send('/_local/other')).status).toBe(404);
  });
});
