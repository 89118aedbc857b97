import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject } from 'vitest';
import { createApiKey } from '../../lib/http/api-keys.ts';
import type { RecordedCall } from '../../lib/local/call-log.ts';
import type { LocalCloud } from '../../lib/local/start.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { documentClient } from '../../lib/store/document-client.ts';

/** What a test looks at in an answer; the body is the text, since replays must match to the byte. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it takes the body for
  readonly json: any;
}

interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fault?: string;
}

type Cloud = Pick<LocalCloud, 'url' | 'dynamodbEndpoint' | 'tableNames'>;

process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';

/** Somebody new with an API key, who talks to the local cloud: tests share the cloud but not the caller. */
export async function newCaller(cloud: Cloud = inject('cloud')) {
  const client = documentClient({ endpoint: cloud.dynamodbEndpoint, region: 'us-east-1' });
  const caller = `caller-${randomUUID()}`;
  const table = { client, table: cloud.tableNames.data ?? '' };
  const apiKey = await createApiKey(table, { caller, now: milliseconds(Date.now()) });

  const send = async (method: string, path: string, { key, body, headers, fault }: Sent = {}): Promise<HttpReply> => {
    const answer = await fetch(cloud.url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(fault !== undefined && { 'local-fault': fault }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    return { status: answer.status, headers: answer.headers, text, json };
  };

  return {
    caller,
    apiKey,
    table,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, sent: Sent) => send('POST', path, sent),
    /** A new account of the caller's; its opening is not what is tested. */
    async openAccount(openingBalance?: number, currency = 'EUR'): Promise<string> {
      const body = { currency, ...(openingBalance !== undefined && { openingBalance }) };
      const opened = await send('POST', '/accounts', { key: randomUUID(), body });
      expect(opened.status).toBe(201);
      return opened.json.id;
    },
    async balanceOf(account: string): Promise<number> {
      return (await send('GET', `/accounts/${account}`)).json.balance;
    },
    /** Everything in the ledger that is the caller's, whoever may list it. */
    async ledger() {
      const scan = new ScanCommand({
        TableName: table.table,
        FilterExpression: 'caller = :caller AND sk IN (:account, :entry)',
        ExpressionAttributeValues: { ':caller': caller, ':account': 'account', ':entry': 'entry' },
        ConsistentRead: true,
      });
      const { Items = [] } = await client.send(scan);
      const ofKind = (kind: string) => Items.filter(({ sk }) => sk === kind);
      return { accounts: ofKind('account'), entries: ofKind('entry') };
    },
    async entriesOf(account: string): Promise<readonly { readonly id: string; readonly kind: string }[]> {
      return (await send('GET', `/accounts/${account}/entries?limit=100`)).json.entries;
    },
  };
}

export type HttpCaller = Awaited<ReturnType<typeof newCaller>>;

/** The requests that an operation made to AWS, as the local cloud recorded them. */
export async function callsOf(operation: string, { url }: Pick<Cloud, 'url'> = inject('cloud')) {
  const answer = await fetch(`${url}/_local/calls?operation=${encodeURIComponent(operation)}`);
  return ((await answer.json()) as { calls: RecordedCall[] }).calls;
}
