import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What the server does with one request. */
export type Step =
  /** Answers; `after` milliseconds, if given. */
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      readonly after?: number;
    }
  /** Ends the connection before it answers. */
  | 'reset'
  /** Ends the connection in the middle of a 201's body, or of another status'. */
  | 'cut'
  | { readonly cut: number }
  /** Answers 200 at once, or another status, and ends its body 200 ms later. */
  | 'trickle'
  | { readonly trickle: number }
  /** Takes the request and never answers. */
  | 'silence';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

/** A real server that follows a script, one step for each request; the last step goes on for ever. */
export async function troubledServer(...steps: readonly [Step, ...Step[]]) {
  const received: Received[] = [];
  const server = createServer((message, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = message;
      const body = await text(message);
      received.push({ method, path, headers, body, at: Date.now() });
      await follow(steps[received.length - 1] ?? steps.at(-1), response);
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function follow(step: Step | undefined, response: ServerResponse): Promise<void> {
  if (step === 'silence' || step === undefined) return;
  if (step === 'reset') return void response.socket?.resetAndDestroy();
  if (step === 'cut' || (typeof step === 'object' && 'cut' in step)) {
    response.writeHead(step === 'cut' ? 201 : step.cut, { 'content-length': '1000', 'operation-id': 'op_cut' });
    response.write('{"id":');
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
    return;
  }
  if (step === 'trickle' || (typeof step === 'object' && 'trickle' in step)) {
    response.writeHead(step === 'trickle' ? 200 : step.trickle).write('drop by ');
    setTimeout(() => response.end('drop'), 200);
    return;
  }
  await new Promise((later) => setTimeout(later, step.after ?? 0));
  response.writeHead(step.status, step.headers).end(step.body ?? '');
}
