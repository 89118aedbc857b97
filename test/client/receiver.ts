import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Numbered {
  readonly seq: number;
  readonly delta: number;
}

/** What becomes of a message that arrives for the nth time. */
export type Fate = 'apply' | 'lose' | 'lose the answer' | 'unreachable' | 'refuse' | 'deny';

/**
 * A receiver over HTTP that applies each sender's messages in order and takes no gaps, behind a queue that may lose
 * them: a 202 says that a message was taken in, not that it was applied.
 */
export async function receiver(fate: (message: Numbered, nth: number) => Fate = () => 'apply') {
  const applied: Numbered[] = [];
  const arrived: Numbered[] = [];
  const server = createServer((message, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    void (async () => {
      if (message.method === 'GET') return answer(200, { appliedUpTo: applied.length });
      const numbered = (await json(message)) as Numbered;
      arrived.push(numbered);
      const decided = fate(numbered, arrived.filter(({ seq }) => seq === numbered.seq).length);
      if (decided === 'unreachable') return response.socket?.resetAndDestroy();
      if (decided === 'refuse') return answer(400, { type: '/problems/invalid-body' });
      if (decided === 'deny') return answer(401, {});
      if (decided !== 'lose' && numbered.seq === applied.length + 1) applied.push(numbered);
      if (decided === 'lose the answer') return response.socket?.resetAndDestroy();
      answer(202, { messageId: 'm' });
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/senders/till-7`, applied, arrived };
}
