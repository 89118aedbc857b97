import { answeringProblems } from './answering-problems.ts';
import { type AtomicRoute, atomicRoute } from './atomic-route.ts';
import { type LeasedRoute, leasedRoute, type WrappedRoute } from './leased-route.ts';
import { type NaturalRoute, naturalRoute } from './natural-route.ts';
import { type ReadRoute, readRoute } from './read-route.ts';
import { type HttpEvent, readRequest } from './request.ts';
import type { RouteHandler } from './route-context.ts';

type AnyRoute<Body, Intent> =
  | AtomicRoute<Body>
  | LeasedRoute<Body, Intent>
  | WrappedRoute<Body>
  | NaturalRoute<Body>
  | ReadRoute;

/** One route's handler, to be put into `routes`. */
export function route<Body = undefined>(options: AtomicRoute<Body>): RouteHandler;
export function route<Body = undefined>(options: WrappedRoute<Body>): RouteHandler;
export function route<Body, Intent>(options: LeasedRoute<Body, Intent>): RouteHandler;
export function route<Body = undefined>(options: NaturalRoute<Body>): RouteHandler;
export function route(options: ReadRoute): RouteHandler;
export function route<Body, Intent>(options: AnyRoute<Body, Intent>): RouteHandler {
  return routeOf(options);
}

function routeOf<Body, Intent>(options: AnyRoute<Body, Intent>): RouteHandler {
  switch (options.mode) {
    case 'atomic':
      return atomicRoute(options);
    case 'leased':
      return leasedRoute(options);
    case 'natural':
      return naturalRoute(options);
    case 'read':
      return readRoute(options);
  }
}

/**
 * A Lambda handler for one operation: the idempotent run is middy's base handler, so replays pass through the same
 * middleware as first replies.
 *
 * @example
 * export const handler = endpoint({ operation: 'create-note', mode: 'atomic', body: Note, run: ({ body }) => note(body) });
 */
export function endpoint<Body = undefined>(options: AtomicRoute<Body>): LambdaHandler;
export function endpoint<Body = undefined>(options: WrappedRoute<Body>): LambdaHandler;
export function endpoint<Body, Intent>(options: LeasedRoute<Body, Intent>): LambdaHandler;
export function endpoint<Body = undefined>(options: NaturalRoute<Body>): LambdaHandler;
export function endpoint(options: ReadRoute): LambdaHandler;
export function endpoint<Body, Intent>(options: AnyRoute<Body, Intent>): LambdaHandler {
  const handle = routeOf(options);
  return answeringProblems((event: HttpEvent, context) => handle(readRequest(event), context));
}

type LambdaHandler = ReturnType<typeof answeringProblems>;
