import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readUnits, writeUnits } from '../../lib/local/capacity.ts';
import { type DynamoDbRequest, readDynamoDbRequest } from '../../lib/local/dynamodb-request.ts';
import { forward } from '../../lib/local/forward.ts';
import { type AttributeMap, itemSize } from '../../lib/local/item-size.ts';
import { readBody } from '../../lib/local/read-body.ts';

/** One request to DynamoDB, as AWS would bill it. */
export interface CountedCall {
  readonly action: string;
  /** A look-up of an API key, which is counted apart: it has nothing to do with idempotency. */
  readonly authentication: boolean;
  /**
   * Computed from item sizes, indexes aside. A write that a condition refused is counted as if it had gone through,
   * which is the most that it can cost.
   */
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly status: number;
}

export interface CountingProxy {
  readonly url: string;
  /** The calls since the last time this was asked. */
  take(): Promise<readonly CountedCall[]>;
  stop(): Promise<void>;
}

/** A call with what its size depends on; sized only when somebody asks, since that needs reads. */
interface Kept {
  readonly request: DynamoDbRequest;
  readonly body: string;
  readonly answer: Record<string, unknown>;
  readonly status: number;
}

/** Stands between a function and DynamoDB Local: passes everything on and counts it. */
export async function startCountingProxy(endpoint: string): Promise<CountingProxy> {
  const kept: Kept[] = [];
  const server = createServer((incoming, outgoing) => void pass(endpoint, incoming, outgoing, kept));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => Promise.all(kept.splice(0).map((call) => count(endpoint, call))),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function pass(endpoint: string, incoming: IncomingMessage, outgoing: ServerResponse, kept: Kept[]) {
  const body = (await readBody(incoming)) ?? Buffer.alloc(0);
  const answer = await forward(endpoint, incoming.headers, body);
  outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  const action = String(incoming.headers['x-amz-target']).replace(/^.*\./, '');
  const request = readDynamoDbRequest(action, JSON.parse(body.toString()), (table) => table);
  if (request === undefined) throw new Error(`${action} is not counted.`);
  kept.push({ request, body: body.toString(), answer: JSON.parse(answer.body.toString()), status: answer.status });
}

async function count(endpoint: string, { request, body, answer, status }: Kept): Promise<CountedCall> {
  const sizes = new Map<string, number>();
  for (const { table, key } of request.writes) {
    if (key !== undefined) sizes.set(JSON.stringify(key), await sizeNow(endpoint, table, key));
  }
  return {
    action: request.action,
    authentication: request.action === 'GetItem' && body.includes('api-key#'),
    writeUnits: writeUnits(request, (_, key) => sizes.get(JSON.stringify(key))) ?? 0,
    readUnits: status < 300 ? (readUnits(request, answer) ?? 0) : 0,
    status,
  };
}

/** The size of an item that a request names only by its key: as it is by now. */
async function sizeNow(endpoint: string, TableName: string, Key: AttributeMap): Promise<number> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  const { body } = await forward(
    endpoint,
    headers,
    Buffer.from(JSON.stringify({ TableName, Key, ConsistentRead: true })),
  );
  const { Item = {} } = JSON.parse(body.toString()) as { Item?: AttributeMap };
  return itemSize(Item);
}
