import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Place } from './identities.ts';
import type { RouteMatch } from './routes.ts';

interface Arrival {
  readonly message: IncomingMessage;
  readonly body: Buffer;
  readonly match: RouteMatch;
  readonly place: Place;
  readonly requestId: string;
  readonly now: Date;
}

/** Headers that concern one connection and end at API Gateway, and the one that only the local cloud reads. */
const NOT_PASSED_ON = new Set([
  'connection',
  'cookie',
  'keep-alive',
  'local-fault',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Builds the event that an HTTP API sends to a function.
 * @throws URIError when the path is not valid percent-encoding
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function httpEvent({ message, body, match, place, requestId, now }: Arrival): APIGatewayProxyEventV2 {
  const [path = '/', rawQueryString = ''] = splitOnce(message.url ?? '/', '?');
  // Observed, not documented: HTTP APIs decode rawPath, REST APIs and function URLs do not.
  const rawPath = decodeURIComponent(path);
  const headers = headersOf(message, body);
  const cookies = (message.headers.cookie ?? '').split(/;\s*/).filter((cookie) => cookie !== '');
  const { host = 'localhost', 'user-agent': userAgent = '', 'content-type': contentType } = headers;
  const { key: routeKey } = match.route;
  const query = queryOf(rawQueryString);
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(match.pathParameters).length > 0 && { pathParameters: { ...match.pathParameters } }),
    requestContext: {
      accountId: place.account,
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split(/[.:]/)[0] ?? host,
      http: {
        method: message.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${message.httpVersion}`,
        sourceIp: sourceOf(message),
        userAgent,
      },
      requestId,
      routeKey,
      stage: '$default',
      time: gatewayTime(now),
      timeEpoch: now.getTime(),
    },
    ...bodyOf(body, contentType),
  };
}

const sourceOf = (message: IncomingMessage): string =>
  (message.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');

function headersOf(message: IncomingMessage, body: Buffer): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = (message.rawHeaders[index] ?? '').toLowerCase();
    const value = message.rawHeaders[index + 1] ?? '';
    // Repeated headers reach the function as one, so that it cannot tell two headers from one with a comma.
    if (!NOT_PASSED_ON.has(name)) headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  headers['x-forwarded-for'] ??= sourceOf(message);
  headers['x-forwarded-proto'] = 'http';
  headers['x-forwarded-port'] = String(message.socket.localPort ?? '');
  if (body.length > 0) headers['content-length'] = String(body.length);
  return { ...headers };
}

function queryOf(rawQueryString: string): Record<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const earlier = query.get(name);
    query.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(query);
}

/** What API Gateway passes as text; it encodes everything else, a missing type and form data too. */
const TEXT = /^(text\/[^;]+|application\/(json|xml|javascript))\s*(;|$)/i;

function bodyOf(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = TEXT.test(contentType ?? '') && isUtf8(body);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** @example '12/Mar/2020:19:03:58 +0000' */
function gatewayTime(now: Date): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(now.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Splits at the first separator. @example splitOnce('a?b?c', '?') // → ['a', 'b?c'] */
export function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
