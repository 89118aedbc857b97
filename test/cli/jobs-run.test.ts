import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from './call.ts';

/** Answers as the local cloud does, which has tests of its own. */
let server: Server;
let url: string;
const asked: (string | undefined)[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const [status, body] = request.url?.includes('Settle')
      ? [200, { kind: 'returned', payload: '{"ending":"done"}' }]
      : request.url?.includes('Broken')
        ? [502, { kind: 'timed-out' }]
        : request.url?.includes('Early')
          ? [502, { kind: 'failed', error: { errorType: 'RangeError', errorMessage: 'It is too early.', trace: [] } }]
          : [404, { title: 'No such job', detail: 'No schedule begins with x. There are: SettleYesterday.' }];
    response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());

const run = (job: string, ...more: string[]) => call('jobs', 'run', job, '--url', url, ...more);

describe('semel jobs run', () => {
  it('starts the job for a date and prints what it returned', async () => {
    expect(await run('Settle', '--date', '2026-11-30')).toEqual({
      code: 0,
      printed: '{"ending":"done"}',
      explained: '',
    });
    expect(asked.at(-1)).toBe('POST /_local/jobs/Settle?input=%7B%22date%22%3A%222026-11-30%22%7D');
  });

  it('leaves the date to the job', async () => {
    expect((await run('Settle')).code).toBe(0);
    expect(asked.at(-1)).toBe('POST /_local/jobs/Settle');
  });

  it.each(['30.11.2026', '2026-13-01', '2026-02-30', 'today'])('takes %s for no date', async (date) => {
    const { code, explained } = await run('Settle', '--date', date);
    expect([code, explained]).toEqual([2, `--date is "${date}", which is not a date like 2026-11-30.`]);
  });

  it('says which jobs there are, and how one ended that did not end well', async () => {
    const unknown = await run('x');
    expect([unknown.code, unknown.explained]).toEqual([1, 'No schedule begins with x. There are: SettleYesterday.']);
    expect((await run('Broken')).explained).toBe('The job did not end well: {"kind":"timed-out"}');
    expect((await run('Early')).explained).toBe('The job failed: It is too early.');
    const nobody = await call('jobs', 'run', 'Settle', '--url', 'http://127.0.0.1:9');
    expect(nobody.explained).toBe('http://127.0.0.1:9/_local/jobs/Settle does not answer.');
  });
});
