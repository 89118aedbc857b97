/** The package's entry `semel/http`: Lambda handlers behind an HTTP API, a REST API or a Function URL. */
export { type ApiKey, type ApiKeyTable, createApiKey, listApiKeys, revokeApiKey } from '../http/api-keys.ts';
export type { AtomicRoute, OperationContext } from '../http/atomic-route.ts';
export { type Authenticate, apiKeyCaller } from '../http/authenticate.ts';
export { endpoint, route } from '../http/endpoint.ts';
export { type InboxRoute, inboxRoute } from '../http/inbox-route.ts';
export type { LeasedRoute, WrappedRoute } from '../http/leased-route.ts';
export type { NaturalContext, NaturalRoute } from '../http/natural-route.ts';
export { openRoute } from '../http/open-route.ts';
export { showProblem } from '../http/problem-page.ts';
export type { ReadRoute } from '../http/read-route.ts';
export type { HttpEvent, HttpRequest } from '../http/request.ts';
export type { HttpResponse } from '../http/respond.ts';
export type { HttpContext, RouteHandler } from '../http/route-context.ts';
export { routes } from '../http/routes.ts';
export { type SendRoute, sendRoute } from '../http/send-route.ts';
export { type OperationRoute, operationRoute } from '../http/show-operation.ts';
