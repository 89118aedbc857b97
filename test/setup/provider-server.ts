import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { HttpResponse } from '../../lib/http/respond.ts';
import { routes } from '../../lib/http/routes.ts';
import { Ledger } from '../../lib/sandbox-provider/ledger.ts';
import { sandboxProvider } from '../../lib/sandbox-provider/sandbox-provider.ts';
import type { Store } from '../../lib/store/store.ts';
import { httpEvent, lambdaContext } from './http-event.ts';

/** What happens to a call instead of the sandbox's answer: a status, or no answer, without the work done or with it. */
type Fate = number | 'drop' | 'lose' | undefined;

/** The sandbox waits a fifth of its time: a late answer takes 2.4 s, a slow one 600 ms. */
const SPEED_UP = 5;

/** The sandbox provider behind HTTP, on a table of its own. */
export interface ProviderServer {
  readonly url: string;
  /** What it was asked, as `POST /charges`. */
  readonly asked: string[];
  /** For how long it waited on purpose, in milliseconds before the speed-up. */
  readonly slept: number[];
  /** Decides over each call; the default leaves every call alone. */
  intercept: (call: string) => Fate;
  charges(): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

type Answer = Pick<HttpResponse, 'statusCode' | 'body'>;

export async function startProvider({ client }: Store): Promise<ProviderServer> {
  const TableName = `provider-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  const sleep = (duration: number) => {
    server.slept.push(duration);
    return pause(duration / SPEED_UP);
  };
  const provider = routes(sandboxProvider({ ledger: new Ledger(client, TableName), sleep }));

  const answer = async (request: IncomingMessage): Promise<Answer | 'drop'> => {
    const { method = '', url = '' } = request;
    const [path = '', rawQuery = ''] = url.split('?');
    const body = await text(request);
    const call = `${method} ${path}`;
    server.asked.push(call);
    const fate = server.intercept(call);
    if (fate === 'drop') return fate;
    if (typeof fate === 'number') return { statusCode: fate, body: '{}' };
    const headers = request.headers as Record<string, string>;
    const event = httpEvent({ route: call, rawQuery, headers, ...(body && { body }) });
    const real = await provider(event, lambdaContext());
    return fate === 'lose' ? 'drop' : real;
  };

  const http = createServer(async (request, response) => {
    const answered = await answer(request);
    if (answered === 'drop') response.destroy();
    else response.writeHead(answered.statusCode, { 'content-type': 'application/json' }).end(answered.body);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));

  const server: ProviderServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked: [],
    slept: [],
    intercept: () => undefined,
    charges: async () => {
      const { Items } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
      return (Items ?? []).filter(({ pk }) => pk.startsWith('charge#'));
    },
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}
