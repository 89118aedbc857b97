import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { PROBLEMS } from '../../lib/protocol/problems.ts';

interface Operation {
  readonly operationId?: string;
  readonly 'x-retention'?: number;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

const cloud = inject('cloud');
let description: {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
};
beforeAll(async () => {
  description = (await (await fetch(`${cloud.url}/openapi.json`)).json()) as typeof description;
});

const operations = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
const keyed = () => operations().filter(({ operation }) => operation.operationId !== undefined);
const parametersIn = ({ parameters = [] }: Operation, place: string) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

/** The routes of the deployed wallet; the stand-in for a payment provider has an API of its own. */
function routesOfTheStack(): string[] {
  const template = JSON.parse(readFileSync(join(cloud.assembly, 'Semel.template.json'), 'utf8'));
  const resources = Object.values(template.Resources) as {
    Type: string;
    Properties?: { RouteKey?: string; ApiId?: { Ref: string } };
  }[];
  const routes = resources.flatMap(({ Type, Properties: { RouteKey = '', ApiId } = {} }) =>
    Type === 'AWS::ApiGatewayV2::Route' ? [{ key: RouteKey, api: ApiId?.Ref }] : [],
  );
  const wallet = routes.find(({ key }) => key === 'GET /openapi.json')?.api;
  return routes.filter(({ api }) => api === wallet).map(({ key }) => key);
}

describe('openapi.json', () => {
  it('R23 describes exactly the routes that the stack has', () => {
    expect(
      operations()
        .map(({ route }) => route)
        .sort(),
    ).toEqual(routesOfTheStack().sort());
  });

  it('R23 publishes how long the replies of each keyed operation are replayed', () => {
    const money = keyed().filter(({ route }) => /POST \/charges/.test(route));
    for (const { operation } of keyed()) expect(operation['x-retention']).toBeGreaterThanOrEqual(24 * 3_600);
    for (const { operation } of money) expect(operation['x-retention']).toBe(30 * 24 * 3_600);
    expect(keyed().map(({ route }) => route)).toEqual(expect.arrayContaining(['POST /accounts', 'POST /transfers']));
  });

  it('R2 requires a key and a JSON body of keyed operations, and of no others', () => {
    for (const { operation } of operations()) {
      const isKeyed = operation.operationId !== undefined;
      expect(parametersIn(operation, 'header').includes('Idempotency-Key')).toBe(isKeyed);
      if (isKeyed) expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(['application/json']);
    }
  });

  it('R18 has the 202 of whoever would rather look later, where a request may be under way', () => {
    const accepted = keyed().filter(({ operation }) => operation.responses['202'] !== undefined);
    expect(accepted.map(({ route }) => route)).toEqual(['POST /charges', 'POST /charges/{id}/refunds']);
    for (const { operation } of accepted) {
      expect(operation.responses['202']).toMatchObject({
        headers: { Location: {} },
        content: { 'application/json': { schema: { required: ['operation'] } } },
      });
    }
  });

  it('R19 declares the parameters of each path, and problems that exist', () => {
    for (const { path, operation } of operations()) {
      expect(parametersIn(operation, 'path')).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      for (const [status, { description: text }] of Object.entries(operation.responses)) {
        const codes = [...text.matchAll(/(?:^|; )([a-z-]+):/g)].map(([, code]) => code as keyof typeof PROBLEMS);
        expect(codes.map((code) => String(PROBLEMS[code]?.status))).toEqual(codes.map(() => status));
      }
    }
  });

  it('R19 is a document of its own: version 3.1, unique ids, no schema that leads nowhere', () => {
    expect(description.openapi).toMatch(/^3\.1\./);
    const ids = keyed().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const schemas = Object.keys(description.components.schemas);
    const named = [...JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(named.map(([, name]) => name).filter((name) => !schemas.includes(name ?? ''))).toEqual([]);
  });

  it('R19 is open to everybody, like the health check and the problems', async () => {
    for (const path of ['/openapi.json', '/health', '/problems/insufficient-funds']) {
      expect((await fetch(cloud.url + path)).status).toBe(200);
    }
  });
});
