import { describe, expect, it } from 'vitest';
import { matchRoute, parseRoute, readApis } from '../../lib/local/routes.ts';
import { modelStack } from '../../lib/local/stack-model.ts';
import { tinyTemplate } from './tiny-stack.ts';

const integration = { functionArn: 'arn:function', timeout: 30_000 };
const routes = [
  '$default',
  'GET /{proxy+}',
  'GET /accounts/{id}',
  'ANY /accounts/{id}',
  'GET /accounts/mine',
  'POST /accounts',
  'GET /accounts/{id}/entries',
  'PUT /files/{name+}',
].map((key) => parseRoute(key, integration));
const match = (method: string, path: string) => {
  const found = matchRoute(routes, method, path);
  return found && [found.route.key, found.pathParameters];
};

describe('matchRoute', () => {
  it.each([
    ['POST', '/accounts', 'POST /accounts', {}],
    ['GET', '/accounts/mine', 'GET /accounts/mine', {}],
    ['GET', '/accounts/acct_1', 'GET /accounts/{id}', { id: 'acct_1' }],
    ['DELETE', '/accounts/acct_1', 'ANY /accounts/{id}', { id: 'acct_1' }],
    ['GET', '/accounts/acct_1/entries', 'GET /accounts/{id}/entries', { id: 'acct_1' }],
    ['GET', '/accounts/a%20b%2Fc', 'GET /accounts/{id}', { id: 'a b/c' }],
    ['PUT', '/files/a/b/c.txt', 'PUT /files/{name+}', { name: 'a/b/c.txt' }],
    ['GET', '/else/where', 'GET /{proxy+}', { proxy: 'else/where' }],
    ['POST', '/else/where', '$default', {}],
    ['GET', '/accounts/acct_1/', 'GET /{proxy+}', { proxy: 'accounts/acct_1/' }],
    ['GET', '/accounts/', 'GET /{proxy+}', { proxy: 'accounts/' }],
  ])('%s %s → %s', (method, path, key, parameters) => {
    expect(match(method, path)).toEqual([key, parameters]);
  });

  it('finds nothing without a route that fits, for HEAD beside GET too', () => {
    const [get] = [parseRoute('GET /accounts', integration)];
    expect(matchRoute([get], 'HEAD', '/accounts')).toBeUndefined();
    expect(matchRoute([get], 'GET', '/account')).toBeUndefined();
    expect(matchRoute([get], 'GET', '/accounts')?.route).toBe(get);
  });

  it('refuses what is not percent-encoding', () => {
    expect(() => match('GET', '/accounts/%zz')).toThrow(URIError);
  });
});

describe('readApis', () => {
  const place = {
    stackName: 'Tiny',
    region: 'us-east-1',
    account: '123456789012',
    suffix: '',
    apiUrls: new Map(),
    proxyUrl: '',
  };
  const read = (change: Record<string, { Type?: string; Properties: Record<string, unknown> }> = {}) => {
    const { Resources } = tinyTemplate();
    for (const [name, { Type, Properties }] of Object.entries(change)) {
      Resources[name] = {
        Type: Type ?? Resources[name]?.Type ?? '',
        Properties: { ...Resources[name]?.Properties, ...Properties },
      };
    }
    return readApis(modelStack({ stackName: 'Tiny', template: { Resources }, assets: new Map() }, place));
  };

  it('leads each route to its function', () => {
    const functionArn = 'arn:aws:lambda:us-east-1:123456789012:function:Tiny-Function';
    expect(read()[0]?.routes.map((route) => [route.key, route.integration])).toEqual([
      ['ANY /{path}', { functionArn, timeout: 30_000 }],
      ['GET /impatient/{path}', { functionArn, timeout: 300 }],
    ]);
  });

  it.each<[string, Record<string, { Type?: string; Properties: Record<string, unknown> }>]>([
    ['authorizers', { Route0: { Properties: { AuthorizationType: 'JWT' } } }],
    ['CORS', { Api: { Properties: { CorsConfiguration: {} } } }],
    ['WebSocket', { Api: { Properties: { ProtocolType: 'WEBSOCKET' } } }],
    ['payload 2.0', { Integration: { Properties: { PayloadFormatVersion: '1.0' } } }],
    ['only the stage $default', { Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: 'v1' } } }],
    ['its integration is not part', { Route1: { Properties: { Target: 'integrations/none' } } }],
  ])('refuses what would answer differently in AWS: %s', (message, change) => {
    expect(() => read(change)).toThrow(message);
  });
});
