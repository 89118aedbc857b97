import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

/** A route of the HTTP API and the function behind it. */
export interface Route {
  /** @example 'GET /accounts/{id}' */
  readonly key: string;
  /** A method, or ANY; the `$default` route has none. */
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly integration: Integration;
}

/** Where a route leads. */
export interface Integration {
  readonly functionArn: string;
  /** How long the API waits for the function, in milliseconds. */
  readonly timeout: number;
}

type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable' | 'rest'; readonly name: string };

export interface RouteMatch {
  readonly route: Route;
  /** URL-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** An HTTP API: what it is called in the template, and its routes. */
export interface HttpApi {
  readonly logicalId: string;
  readonly routes: readonly Route[];
}

/**
 * Reads a stack's HTTP APIs, in the template's order.
 * @throws SetupError for what would answer differently in AWS: a named stage, an authorizer, CORS
 */
export function readApis(stack: StackModel): HttpApi[] {
  for (const { logicalId, properties } of stack.ofType('AWS::ApiGatewayV2::Stage')) {
    if (properties.StageName !== '$default') throw new SetupError(`${logicalId}: only the stage $default is run here.`);
  }
  const integrations = readIntegrations(stack);
  return stack
    .ofType('AWS::ApiGatewayV2::Api')
    .map((api) => ({ logicalId: api.logicalId, routes: readRoutes(stack, api, integrations) }));
}

function readRoutes(stack: StackModel, api: Resource, integrations: ReadonlyMap<string, Integration>): Route[] {
  if (api.properties.ProtocolType !== 'HTTP' || api.properties.CorsConfiguration !== undefined) {
    throw new SetupError(`${api.logicalId}: WebSocket APIs and CORS configurations are not run here.`);
  }
  const ofApi = stack
    .ofType('AWS::ApiGatewayV2::Route')
    .filter(({ properties }) => properties.ApiId === api.identity.ref);
  return ofApi.map(({ logicalId, properties }) => {
    if ((properties.AuthorizationType ?? 'NONE') !== 'NONE')
      throw new SetupError(`${logicalId}: authorizers are not run here.`);
    const integration = integrations.get(String(properties.Target).replace('integrations/', ''));
    if (integration === undefined) throw new SetupError(`${logicalId}: its integration is not part of the stack.`);
    return parseRoute(String(properties.RouteKey), integration);
  });
}

/** What an HTTP API waits at most, and where the integration does not say less. */
const GATEWAY_TIMEOUT = 30_000;

function readIntegrations(stack: StackModel): Map<string, Integration> {
  const integrations = stack.ofType('AWS::ApiGatewayV2::Integration');
  for (const { logicalId, properties } of integrations) {
    if (properties.IntegrationType !== 'AWS_PROXY' || properties.PayloadFormatVersion !== '2.0') {
      throw new SetupError(`${logicalId}: only Lambda integrations with payload 2.0 are run here.`);
    }
  }
  return new Map(
    integrations.map(({ identity, properties: { IntegrationUri, TimeoutInMillis = GATEWAY_TIMEOUT } }) => [
      identity.ref,
      { functionArn: String(IntegrationUri), timeout: Number(TimeoutInMillis) },
    ]),
  );
}

/** @example parseRoute('GET /files/{proxy+}', integration).segments // → [{kind:'text',text:'files'},{kind:'rest',name:'proxy'}] */
export function parseRoute(key: string, integration: Integration): Route {
  if (key === '$default') return { key, method: 'ANY', segments: [{ kind: 'rest', name: '' }], integration };
  const [method = '', path = ''] = key.split(' ');
  return { key, method, segments: split(path).map(parseSegment), integration };
}

function parseSegment(text: string): Segment {
  const [, name, greedy] = /^\{([^}+]+)(\+?)\}$/.exec(text) ?? [];
  return name === undefined ? { kind: 'text', text } : { kind: greedy ? 'rest' : 'variable', name };
}

const split = (path: string): string[] => path.replace(/^\//, '').split('/');

/**
 * Finds the route that API Gateway would choose: of those that fit, the one whose path says most, then a method over ANY.
 * @throws URIError when a path parameter is not valid percent-encoding
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const parts = split(path);
  let best: Route | undefined;
  for (const route of routes) {
    if ((route.method === method || route.method === 'ANY') && fits(route, parts)) {
      if (best === undefined || specificity(route) > specificity(best)) best = route;
    }
  }
  return best && { route: best, pathParameters: parametersOf(best, parts) };
}

function fits({ segments }: Route, parts: readonly string[]): boolean {
  const greedy = segments.at(-1)?.kind === 'rest';
  if (greedy ? parts.length < segments.length : parts.length !== segments.length) return false;
  return segments.every((segment, index) => {
    const part = parts[index] ?? '';
    if (segment.kind === 'rest') return true;
    return segment.kind === 'text' ? segment.text === part : part !== '';
  });
}

/** Compares as text, segment by segment: a literal over a variable over the rest; `$default` is below all of them. */
const specificity = ({ key, method, segments }: Route): string =>
  key === '$default'
    ? ''
    : segments.map(({ kind }) => ({ text: '3', variable: '2', rest: '1' })[kind]).join('') +
      (method === 'ANY' ? '0' : '00');

function parametersOf({ segments }: Route, parts: readonly string[]): Record<string, string> {
  const parameters = segments.flatMap((segment, index) => {
    if (segment.kind === 'text' || segment.name === '') return [];
    const raw = segment.kind === 'rest' ? parts.slice(index).join('/') : (parts[index] ?? '');
    return [[segment.name, decodeURIComponent(raw)] as const];
  });
  return Object.fromEntries(parameters);
}
