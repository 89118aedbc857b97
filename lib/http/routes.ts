import { SemelError } from '../protocol/problems.ts';
import { answeringProblems } from './answering-problems.ts';
import { type HttpEvent, type HttpRequest, readRequest } from './request.ts';
import type { RouteHandler } from './route-context.ts';

/**
 * A Lambda handler for several routes, named as the gateway names them.
 *
 * @throws SemelError `route-not-found` (404) for a request that none of them matches
 * @example export const handler = routes({ 'GET /notes/{id}': route({ mode: 'read', run: readNote }) });
 */
export function routes(table: Readonly<Record<string, RouteHandler>>) {
  const patterns = Object.keys(table).map(compile);
  return answeringProblems((event: HttpEvent, context) => {
    const request = readRequest(event);
    const known = request.routeKey === undefined ? undefined : table[request.routeKey];
    if (known !== undefined) return known(request, context);
    for (const { key, method, path } of patterns) {
      const match = request.method === method && path.exec(request.path);
      const handler = table[key];
      const params = match && decoded(match.groups);
      if (params && handler) return handler({ ...request, params }, context);
    }
    throw notFound(request);
  });
}

/** A Function URL matches no route itself, so the path decides. */
function compile(key: string) {
  const [method = '', template = ''] = key.split(' ');
  const path = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  return { key, method, path };
}

/** Undefined for a path that is not valid percent-encoding: no resource has it. */
function decoded(groups: Record<string, string> = {}): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

const notFound = ({ method, path }: HttpRequest) =>
  new SemelError('route-not-found', `${method} ${path} is not a route of this service.`);
