import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../lib/protocol/time.ts';
import { github } from '../../lib/webhook/github.ts';
import { standardWebhooks } from '../../lib/webhook/standard-webhooks.ts';
import { stripe } from '../../lib/webhook/stripe.ts';
import { verifySignature } from '../../lib/webhook/verify-signature.ts';
import { call } from './call.ts';

const SECRETS = { standard: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', stripe: 'whsec_stripe', github: 's3cret' };

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

let server: Server;
let url: string;
let status: number;
const received: Received[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    received.push({ path: request.url ?? '', headers: request.headers, bytes: Buffer.concat(chunks) });
    response.statusCode = status;
    response.end('{"received":true}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

beforeEach(() => {
  received.length = 0;
  status = 200;
  for (const [name, secret] of Object.entries(SECRETS)) vi.stubEnv(`WEBHOOK_SECRET_${name.toUpperCase()}`, secret);
});

describe('semel webhooks send', () => {
  it.each([standardWebhooks, stripe, github])('R31 signs as $name does', async (source) => {
    const { code, printed } = await call('webhooks', 'send', source.name, '--url', url, '--amount', '7');
    expect({ code, printed }).toEqual({ code: 0, printed: '200 {"received":true}' });
    const [{ path, headers, bytes } = { path: '', headers: {}, bytes: Buffer.of() }] = received;
    expect(path).toBe(`/webhooks/${source.name}`);
    const event = JSON.parse(bytes.toString());
    expect(event).toMatchObject({ type: 'payment.succeeded', data: { account: 'acct_alice', amount: 7 } });
    const delivery = { bytes, header: (name: string) => headers[name.toLowerCase()] as string | undefined };
    const key = source.key(SECRETS[source.name as keyof typeof SECRETS]);
    verifySignature(source, [key], delivery, milliseconds(Date.now()));
    expect(source.eventId(delivery, event)).toBe(event.id);
  });

  it('sends one event several times', async () => {
    const { printed } = await call('webhooks', 'send', 'github', '--url', url, '--event', 'evt_1', '--times', '3');
    expect(printed.split('\n')).toHaveLength(3);
    expect(received.map(({ headers }) => headers['x-github-delivery'])).toEqual(['evt_1', 'evt_1', 'evt_1']);
    expect(new Set(received.map(({ bytes }) => bytes.toString())).size).toBe(1);
  });

  it('ends with 1 when the service does not take it', async () => {
    status = 422;
    const { code, printed, explained } = await call('webhooks', 'send', 'github', '--url', url, '--times', '2');
    expect({ code, lines: printed.split('\n').length }).toEqual({ code: 1, lines: 2 });
    expect(explained).toMatch(/\nThe webhook was not taken: 422\.$/);
  });

  it.each([
    [['webhooks', 'send', 'paypal'], 2, /no webhook source "paypal"/],
    [['webhooks', 'send', 'github', '--amount', '1.5'], 2, /not a whole number/],
    [['webhooks', 'send', 'github', '--times', '101'], 2, /at most 100/],
    [['webhooks', 'send', 'github', '--url', 'http://127.0.0.1:1'], 1, /does not answer/],
  ])('says what is wrong with %j', async (words, code, message) => {
    const answer = await call(...words);
    expect(answer.code).toBe(code);
    expect(answer.explained).toMatch(message);
  });
});
