import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { readBody } from './read-body.ts';

export interface Forwarded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Reuses connections, but none that has been idle for long: the server may be closing it, and the failure would look
 * like one of AWS, with a resend that nobody asked for.
 */
const agent = new Agent({ keepAlive: true, timeout: 20_000 });

/** Sends a request on as it came, to another server. @throws Error when that server cannot be reached */
export function forward(endpoint: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Forwarded> {
  return new Promise((done, fail) => {
    const { host: _, connection: __, 'transfer-encoding': ___, ...kept } = headers;
    const outgoing = request(endpoint, { agent, method: 'POST', headers: { ...kept, 'content-length': body.length } });
    outgoing.once('error', fail);
    outgoing.once('response', (response) => {
      readBody(response).then(
        (answer) =>
          done({ status: response.statusCode ?? 502, headers: response.headers, body: answer ?? Buffer.alloc(0) }),
        fail,
      );
    });
    outgoing.end(body);
  });
}
