import type { Outcome } from './invocation.ts';

/** What goes back to the HTTP client. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** What API Gateway answers by itself. */
export const gatewayAnswer = (status: number, message: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  body: Buffer.from(JSON.stringify({ message })),
});

/** What the local cloud answers by itself. @see RFC 9457 */
export const problemAnswer = (status: number, title: string, detail: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  cookies: [],
  body: Buffer.from(JSON.stringify({ type: 'about:blank', title, status, detail })),
});

const internalError = (): HttpAnswer => gatewayAnswer(500, 'Internal Server Error');

/** Turns the end of an invocation into an answer, as an HTTP API does with payload format 2.0. */
export function httpAnswer(outcome: Outcome): HttpAnswer {
  switch (outcome.kind) {
    case 'returned':
      return returnedAnswer(JSON.parse(outcome.payload));
    case 'failed':
    case 'timed-out':
      return internalError();
    case 'crashed':
      return gatewayAnswer(502, 'Bad Gateway');
  }
}

interface Structured {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly unknown[];
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** A value without a statusCode is the body itself. */
function returnedAnswer(value: unknown): HttpAnswer {
  if (typeof value !== 'object' || value === null || (value as Structured).statusCode === undefined) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { status: 200, headers: { 'content-type': 'application/json' }, cookies: [], body: Buffer.from(text) };
  }
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded = false } = value as Structured;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599 || typeof body !== 'string') return internalError();
  const lowered = Object.entries(headers).map(([name, content]) => [name.toLowerCase(), String(content)] as const);
  return {
    status,
    headers: { ...(body !== '' && { 'content-type': 'text/plain; charset=utf-8' }), ...Object.fromEntries(lowered) },
    cookies: cookies.map(String),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}
