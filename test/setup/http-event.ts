import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** A request as a test writes it. */
export interface TestRequest {
  readonly route: string;
  readonly path?: string;
  readonly rawQuery?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string>>;
}

/** The payload-2.0 event that an HTTP API makes of it. */
export function httpEvent({
  route,
  path,
  rawQuery = '',
  headers = {},
  body,
  params,
}: TestRequest): APIGatewayProxyEventV2 {
  const [method = 'GET', template = '/'] = route.split(' ');
  const rawPath = path ?? template;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return {
    version: '2.0',
    routeKey: route,
    rawPath,
    rawQueryString: rawQuery,
    headers: { 'content-type': 'application/json', ...headers },
    requestContext: {
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      stage: '$default',
      requestId: 'request-1',
    } as APIGatewayProxyEventV2['requestContext'],
    ...(params && { pathParameters: { ...params } }),
    ...(text !== undefined && { body: text }),
    isBase64Encoded: false,
  };
}

/** What Lambda tells a handler: here, that it has ten seconds. */
export const lambdaContext = (remaining = 10_000) => ({ getRemainingTimeInMillis: () => remaining }) as Context;
