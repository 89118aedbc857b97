import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readBlueprint } from '../../lib/local/blueprint.ts';
import type { RecordedCall } from '../../lib/local/call-log.ts';
import { readAssembly } from '../../lib/local/template.ts';
import { type Tour, takeTour } from './tour.ts';

let tour: Tour;

beforeAll(async () => {
  tour = await takeTour();
}, 120_000);
afterAll(() => tour.cloud.stop());

interface Line {
  readonly message?: string;
  readonly consumer?: string;
  readonly correlationId?: string;
  readonly operationId?: string;
  readonly keyHash?: string;
}

const lines = (message: string): Line[] =>
  tour.lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.message === message);

describe('what the functions print', () => {
  it('R38 holds no key, no API key and nothing that only a body held', () => {
    expect(tour.lines.length).toBeGreaterThan(50);
    expect(tour.secrets.length).toBeGreaterThan(30);
    const told = tour.secrets.filter((secret) => tour.lines.some((line) => line.includes(secret)));
    expect(told).toEqual([]);
  });

  it('R38 is one line for each keyed request, with operation, key hash and correlation id', () => {
    const answered = lines('Answered');
    expect(answered.length).toBeGreaterThan(10);
    for (const { operationId, keyHash, correlationId } of answered) {
      expect(operationId?.startsWith(`op_${keyHash}.`)).toBe(true);
      expect(correlationId).toBe(tour.correlationId);
    }
  });
});

describe('the correlation id of a request', () => {
  it('R38 comes out at the consumers of its queue, its sequence and its outbox', () => {
    const consumed = lines('Consumed').filter(({ correlationId }) => correlationId === tour.correlationId);
    expect(new Set(consumed.map(({ consumer }) => consumer))).toEqual(
      new Set(['deposits', 'senders', 'notifications']),
    );
  });

  it('R38 is kept on the record and comes out at the reconciler', async () => {
    const TableName = tour.cloud.tableNames.idempotency;
    const { Items = [] } = await tour.caller.table.client.send(new ScanCommand({ TableName, ConsistentRead: true }));
    const records = Items.filter(({ pk, caller }) => pk.startsWith('key#') && caller === tour.caller.caller);
    expect(new Set(records.map(({ correlationId }) => correlationId))).toEqual(new Set([tour.correlationId]));
    expect(lines('Reconciled one').map(({ correlationId }) => correlationId)).toContain(tour.correlationId);
  });
});

describe('openapi.json', () => {
  it('R19 has every status that was answered', async () => {
    const { paths } = (await (await fetch(`${tour.cloud.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    const templates = Object.keys(paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const missing = [...tour.answered].filter((answer) => {
      const [method = '', path = '', status = ''] = answer.split(' ');
      const template = templates.find(({ pattern }) => pattern.test(path))?.path ?? path;
      return paths[template]?.[method.toLowerCase()]?.responses[status] === undefined;
    });
    expect(tour.answered.size).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });
});

/** Used by Lambda's pollers on the role's behalf, by the log and by KMS: no call of the function's own. */
const BY_LAMBDA =
  /^(logs:|sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueue)|dynamodb:(\w*Stream|GetRecords|GetShardIterator))/;

/** Held for what the tour cannot bring about, or what is not modelled here; each has a reason. */
const NOT_ON_THE_TOUR: Readonly<Record<string, string>> = {
  'Charges dynamodb:DeleteItem': 'a key is released where nothing was reserved; charges and refunds always reserve',
  'Settle dynamodb:DeleteItem': 'a job whose first run has no time for a page releases its key',
  'NotificationQueue dynamodb:GetItem': 'a refusal looks for the marker first; notifications refuse nothing',
  'DepositQueue dynamodb:GetItem': 'the same; deposits refuse by the conditions of their effects',
  'SenderQueue dynamodb:GetItem': 'a run whose sum alone might pass 2^53 is looked at first',
  'OutboxRelay sqs:SendMessage OutboxFailures': 'the stream itself reports to its failure queue on behalf of the role',
  'Webhooks secretsmanager:GetSecretValue': 'the local cloud hands the secrets over in the environment',
};

describe('permissions', () => {
  /** Function, action and resource, without what differs from start to start. */
  const plainly = (name: string, permission: string, suffix: string) =>
    `${name} ${permission.replaceAll(`-${suffix}`, '')}`;

  async function used(): Promise<Set<string>> {
    const { calls } = (await (await fetch(`${tour.cloud.url}/_local/calls`)).json()) as { calls: RecordedCall[] };
    const suffix = tour.cloud.tableNames.idempotency?.split('-').at(-1) ?? '';
    return new Set(calls.flatMap((call) => call.permissions.map((what) => plainly(call.function, what, suffix))));
  }

  function held(): string[] {
    const addresses = { apiUrls: new Map(), proxyUrl: '' };
    const { functions, policies, place } = readBlueprint(readAssembly(inject('cloud').assembly), addresses, false);
    return functions.flatMap(({ name, roleArn }) =>
      (policies.get(roleArn) ?? []).flatMap(({ actions, resources }) =>
        actions
          .filter((action) => !BY_LAMBDA.test(action))
          .flatMap((action) => resources.map((to) => plainly(name, `${action} ${to}`, place.suffix))),
      ),
    );
  }

  it('are all used: no role may do what nothing needs', async () => {
    const [needed, allowed] = [await used(), held()];
    expect(allowed.length).toBeGreaterThan(50);
    const excused = (permission: string) =>
      Object.keys(NOT_ON_THE_TOUR).some((entry) => {
        const [name = '', action = '', resource = ''] = entry.split(' ');
        const [who = '', what, which = ''] = permission.split(' ');
        return who.startsWith(`Semel-${name}`) && what === action && which.includes(resource);
      });
    expect(allowed.filter((permission) => !needed.has(permission) && !excused(permission))).toEqual([]);
  });
});
