import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { httpEvent, type TestRequest } from './http-event.ts';

/** The gateways that a function may stand behind. */
export type Gateway = keyof typeof GATEWAYS;

/** A function URL's event: payload 2.0, but nothing has matched the route. */
function functionUrlEvent(request: TestRequest): APIGatewayProxyEventV2 {
  const { pathParameters: _, ...event } = httpEvent(request);
  return { ...event, routeKey: '$default' };
}

/** A REST API's event: payload 1.0, every header and query value as a list, the path without its stage. */
function restEvent({ route, path, rawQuery = '', headers = {}, body, params }: TestRequest): APIGatewayProxyEvent {
  const [method = 'GET', resource = '/'] = route.split(' ');
  const sent: Record<string, string> = { 'Content-Type': 'application/json', ...headers };
  const query = new URLSearchParams(rawQuery);
  const lists = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
  return {
    ...{ httpMethod: method, resource, path: path ?? resource },
    headers: sent,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    queryStringParameters: rawQuery === '' ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: rawQuery === '' ? null : lists,
    pathParameters: params === undefined ? null : { ...params },
    stageVariables: null,
    requestContext: { requestId: 'request-1', stage: 'prod' } as APIGatewayProxyEvent['requestContext'],
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
  };
}

export const GATEWAYS = { 'HTTP API': httpEvent, 'REST API': restEvent, 'Function URL': functionUrlEvent } as const;
