import { describe, expect, it } from 'vitest';
import { useTinyCloud } from './tiny-cloud.ts';

const { cloud, entryIds, newId, printed, send } = useTinyCloud();

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
        DATA_TABLE_NAME: cloud().tableNames.data,
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

  it('go on when the API no longer waits', async () => {
    const id = newId();
    const answer = await send(`/impatient/put?id=${id}`);
    expect([answer.status, await answer.text()]).toEqual([503, '{"message":"Service Unavailable"}']);
    expect(await entryIds()).not.toContain(id);
    await expect.poll(entryIds, { timeout: 5_000 }).toContain(id);
  });

  it('are started anew when they ended while they were idle', async () => {
    await send('/die-later');
    await new Promise((done) => setTimeout(done, 200));
    expect((await send('/count')).status).toBe(200);
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
        /^User: arn:aws:sts::000000000000:assumed-role\/Tiny-Role\/Tiny-Function is not authorized to perform: dynamodb:(Scan|Query) on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Tiny-Table-[\da-f]{6}(\/index\/hidden)? because no identity-based policy allows the dynamodb:(Scan|Query) action$/,
      ),
    });
  });
});
