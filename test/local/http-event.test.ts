import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { httpEvent } from '../../lib/local/http-event.ts';
import { readBody } from '../../lib/local/read-body.ts';
import { parseRoute } from '../../lib/local/routes.ts';

const place = {
  stackName: 'Tiny',
  region: 'us-east-1',
  account: '123456789012',
  suffix: '',
  apiUrls: new Map(),
  proxyUrl: '',
};
const match = {
  route: parseRoute('POST /{path}', { functionArn: 'arn:function', timeout: 30_000 }),
  pathParameters: { path: 'x' },
};

/** Sends lines as they are over a socket, since clients tidy headers up, and builds the event of what arrives. */
async function eventOf(lines: readonly string[], body: string | Buffer = ''): Promise<APIGatewayProxyEventV2> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(
    `${[...lines, 'Host: api.test:4000', `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n`,
  );
  socket.write(body);
  const [message] = await arrived;
  const bytes = (await readBody(message)) ?? Buffer.alloc(0);
  const event = httpEvent({
    message,
    body: bytes,
    match,
    place,
    requestId: 'req',
    now: new Date('2020-03-12T19:03:58Z'),
  });
  socket.destroy();
  server.close();
  return event;
}
const post = (contentType: string | undefined, body: string | Buffer) =>
  eventOf(['POST /x HTTP/1.1', ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`])], body);

describe('httpEvent', () => {
  it('has the shape of payload format 2.0', async () => {
    const { headers, ...event } = await eventOf(
      ['POST /x?a=1 HTTP/1.1', 'User-Agent: curl/8', 'Content-Type: text/plain'],
      'hi',
    );
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /{path}',
      rawPath: '/x',
      rawQueryString: 'a=1',
      queryStringParameters: { a: '1' },
      pathParameters: { path: 'x' },
      requestContext: {
        accountId: '123456789012',
        apiId: 'local',
        domainName: 'api.test:4000',
        domainPrefix: 'api',
        http: { method: 'POST', path: '/x', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'curl/8' },
        requestId: 'req',
        routeKey: 'POST /{path}',
        stage: '$default',
        time: '12/Mar/2020:19:03:58 +0000',
        timeEpoch: 1584039838000,
      },
      body: 'hi',
      isBase64Encoded: false,
    });
    expect(headers).toMatchObject({
      host: 'api.test:4000',
      'content-length': '2',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    });
  });

  it('lower-cases header names, joins repeated ones with a comma and leaves out those of the connection', async () => {
    const { headers } = await eventOf([
      'POST /x HTTP/1.1',
      'IDEMPOTENCY-KEY: a',
      'Idempotency-Key: b',
      'Connection: close',
      'Local-Fault: delay=1',
      '__proto__: x',
    ]);
    expect(headers['idempotency-key']).toBe('a,b');
    expect(Object.keys(headers)).toEqual(expect.not.arrayContaining(['connection', 'local-fault', 'Idempotency-Key']));
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'x']);
  });

  it('gives cookies apart', async () => {
    const event = await eventOf(['POST /x HTTP/1.1', 'Cookie: a=1; b=2']);
    expect([event.cookies, event.headers.cookie]).toEqual([['a=1', 'b=2'], undefined]);
  });

  it('decodes the path, not the query string', async () => {
    const event = await eventOf(['POST /caf%C3%A9%20au?q=%20%2B+&q=2&&flag HTTP/1.1']);
    expect([event.rawPath, event.rawQueryString]).toEqual(['/café au', 'q=%20%2B+&q=2&&flag']);
    expect(event.queryStringParameters).toEqual({ q: ' + ,2', flag: '' });
  });

  it('refuses a path that is not percent-encoding', async () => {
    await expect(eventOf(['POST /%zz HTTP/1.1'])).rejects.toThrow(URIError);
  });

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'text/plain',
    'text/html;charset=utf-8',
    'application/xml',
    'application/javascript',
  ])('passes %s on as text', async (type) => {
    expect(await post(type, '{"a":"é"}')).toMatchObject({ body: '{"a":"é"}', isBase64Encoded: false });
  });

  it.each([
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/jsonp',
    undefined,
  ])('encodes a body of type %s', async (type) => {
    expect(await post(type, 'a=1')).toMatchObject({ body: 'YT0x', isBase64Encoded: true });
  });

  it('encodes text that is not UTF-8, which would otherwise change on the way', async () => {
    expect(await post('application/json', Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
      body: 'Iv8i',
      isBase64Encoded: true,
    });
  });

  it('has no body where none was sent', async () => {
    const event = await post('application/json', '');
    expect(Object.keys(event)).not.toContain('body');
    expect(event.isBase64Encoded).toBe(false);
  });
});
