import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dropsResponse, parseFaults } from './faults.ts';
import { gatewayAnswer, type HttpAnswer, httpAnswer, problemAnswer } from './http-answer.ts';
import { httpEvent, splitOnce } from './http-event.ts';
import type { Place } from './identities.ts';
import { isLocalPath, type LocalRequest } from './local-routes.ts';
import { readBody } from './read-body.ts';
import { matchRoute, type Route, type RouteMatch } from './routes.ts';
import { SetupError } from './setup-error.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface Site {
  readonly place: Place;
  readonly routes: readonly Route[];
  readonly poolOf: (functionArn: string) => WorkerPool;
  /** Answers the paths of the local cloud itself, which the stack does not have. */
  readonly answerLocal: (asked: LocalRequest) => Promise<HttpAnswer | undefined>;
  /** Hears which operation an invocation answered. */
  readonly answered: (invocation: string, operation: string) => void;
}

export interface HttpServer {
  readonly url: string;
  /** Answers requests from now on; they waited until then. */
  open(site: Site): void;
  close(): Promise<void>;
}

/** API Gateway's limit. @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const LONGEST_BODY = 10 * 1024 * 1024;
/** Methods that an HTTP API knows. */
const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Listens on a port of this machine: 0 finds a free one.
 * @throws SetupError when the port is taken
 */
export async function startHttpServer(port: number): Promise<HttpServer> {
  let open: (site: Site) => void = () => {};
  const opened = new Promise<Site>((resolve) => {
    open = resolve;
  });
  const server = createServer((message, response) => {
    void opened
      .then((site) => serve(message, site))
      .then((answer) => (answer === undefined ? cutOff(message.socket) : send(message, response, answer)))
      .catch(() => message.socket.destroy());
  });
  // Longer than a client's pauses: closing just when it sends again would look like a failure of the service.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((listening, fail) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      fail(
        cause.code === 'EADDRINUSE'
          ? new SetupError(`Port ${port} is taken. Set PORT to another one.`, { cause })
          : cause,
      ),
    );
    server.listen(port, '127.0.0.1', listening);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    open,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** How far an answer gets: no browser takes it for one, while it may make do with a whole status line. */
const BEGINNING = 'HT';

/**
 * Ends a connection in the middle of its answer. Browsers send a request again by themselves when a connection that was
 * used before ends without a byte, even a POST, and then one press would be several requests.
 */
function cutOff(socket: Socket): void {
  socket.write(BEGINNING);
  socket.destroySoon();
}

/** Undefined when the client's connection is to be cut instead of answered. */
async function serve(message: IncomingMessage, site: Site): Promise<HttpAnswer | undefined> {
  const [path, query] = splitOnce(message.url ?? '/', '?');
  const method = message.method ?? 'GET';
  const body = await readBody(message, LONGEST_BODY);
  if (body === undefined) return gatewayAnswer(413, 'Request Entity Too Large');
  if (isLocalPath(path)) {
    const asked = { method, path, query: new URLSearchParams(query), body, headers: message.headers };
    return site.answerLocal(asked).catch(outOfOrder);
  }
  try {
    const match = METHODS.has(method) ? matchRoute(site.routes, method, path) : undefined;
    return match === undefined ? gatewayAnswer(404, 'Not Found') : await invoke(message, body, match, site);
  } catch (error) {
    if (error instanceof URIError) return gatewayAnswer(400, 'Bad Request');
    throw error;
  }
}

/** What is behind the local cloud may be gone, DynamoDB Local above all: it is said instead of hanging up. */
const outOfOrder = (error: unknown): HttpAnswer =>
  problemAnswer(
    503,
    'The local cloud cannot answer',
    error instanceof Error ? error.message || error.name : String(error),
  );

async function invoke(
  message: IncomingMessage,
  body: Buffer,
  match: RouteMatch,
  site: Site,
): Promise<HttpAnswer | undefined> {
  const faults = parseFaults(message.headers['local-fault'] as string | undefined);
  if (typeof faults === 'string') return problemAnswer(400, 'Unknown fault', faults);
  const requestId = randomBytes(11).toString('base64url');
  const event = httpEvent({ message, body, match, place: site.place, requestId, now: new Date() });
  const { functionArn, timeout } = match.route.integration;
  const { invocation, outcome } = site
    .poolOf(functionArn)
    .invoke(JSON.stringify(event), { request: requestId, faults });
  const answer = await within(timeout, outcome.then(httpAnswer), gatewayAnswer(503, 'Service Unavailable'));
  const operation = answer.headers['operation-id'];
  if (operation !== undefined) site.answered(invocation.id, operation);
  if (dropsResponse(faults)) return undefined;
  return { ...answer, headers: { ...answer.headers, 'apigw-requestid': requestId } };
}

/** The work's result, or something else once it takes too long; the work goes on. */
async function within<T>(milliseconds: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((done) => {
    timer = setTimeout(() => done(otherwise), milliseconds);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function send(message: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
  const { 'content-length': _, connection: __, 'transfer-encoding': ___, ...passed } = answer.headers;
  const headers: Record<string, string> = passed;
  // An oversized body is still arriving: the connection cannot serve another request.
  if (!message.complete) headers.connection = 'close';
  const bodiless = answer.status === 204 || answer.status === 304;
  if (!bodiless) headers['content-length'] = String(answer.body.length);
  response.writeHead(answer.status, {
    ...headers,
    ...(answer.cookies.length > 0 && { 'set-cookie': [...answer.cookies] }),
  });
  response.end(bodiless || message.method === 'HEAD' ? undefined : answer.body);
}
