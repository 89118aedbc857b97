import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';

/** What Lambda hands over: an HTTP API or Function URL (payload 2.0), or a REST API (payload 1.0). */
export type HttpEvent = APIGatewayProxyEventV2 | APIGatewayProxyEvent;

/** A request as the service sees it, whichever gateway it came through. */
export interface HttpRequest {
  readonly method: string;
  /** As received, minus a named stage, not decoded (R5). */
  readonly path: string;
  /** As received, without the `?`; empty when there is none. */
  readonly rawQuery: string;
  /** `POST /transfers` as the gateway matched it; undefined behind a Function URL, which matches nothing. */
  readonly routeKey: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Decoded from the gateway's base64 where it used that (R6); undefined when there is no body. */
  readonly body: Uint8Array | undefined;
  readonly requestId: string;
  /** Every occurrence of a header, in any spelling of its name (R1). */
  header(name: string): readonly string[];
}

/** Reads a gateway's event. @example readRequest(event).header('Idempotency-Key') // ['abc'] */
export function readRequest(event: HttpEvent): HttpRequest {
  return isPayload2(event) ? readPayload2(event) : readPayload1(event);
}

const isPayload2 = (event: HttpEvent): event is APIGatewayProxyEventV2 => 'rawPath' in event;

function readPayload2(event: APIGatewayProxyEventV2): HttpRequest {
  const { http, stage, requestId } = event.requestContext;
  const named = stage === '$default' || !event.rawPath.startsWith(`/${stage}/`) ? '' : `/${stage}`;
  const headers = new Map(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), [value ?? '']]));
  return {
    method: http.method,
    path: event.rawPath.slice(named.length),
    rawQuery: event.rawQueryString,
    routeKey: event.routeKey === '$default' ? undefined : event.routeKey,
    params: defined(event.pathParameters),
    query: new URLSearchParams(event.rawQueryString),
    body: readBody(event),
    requestId,
    header: (name) => headers.get(name.toLowerCase()) ?? [],
  };
}

function readPayload1(event: APIGatewayProxyEvent): HttpRequest {
  const rawQuery = respellQuery(event.multiValueQueryStringParameters);
  const headers = new Map(
    Object.entries(event.multiValueHeaders ?? {}).map(([name, values]) => [name.toLowerCase(), values ?? []]),
  );
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    const lower = name.toLowerCase();
    if (!headers.has(lower) && value !== undefined) headers.set(lower, [value]);
  }
  return {
    method: event.httpMethod,
    path: event.path,
    rawQuery,
    routeKey: `${event.httpMethod} ${event.resource}`,
    params: defined(event.pathParameters),
    query: new URLSearchParams(rawQuery),
    body: readBody(event),
    requestId: event.requestContext.requestId,
    header: (name) => headers.get(name.toLowerCase()) ?? [],
  };
}

/** A REST API hands the query over decoded; spelling it again the same way each time keeps fingerprints equal (R5). */
function respellQuery(query: APIGatewayProxyEvent['multiValueQueryStringParameters']): string {
  return Object.entries(query ?? {})
    .flatMap(([name, values]) =>
      (values ?? []).map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    )
    .join('&');
}

function readBody({ body, isBase64Encoded }: HttpEvent): Uint8Array | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

const defined = (values: { readonly [name: string]: string | undefined } | null | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined));
