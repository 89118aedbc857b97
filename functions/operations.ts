import { routes } from '../lib/http/routes.ts';
import { operationRoute } from '../lib/http/show-operation.ts';

export const handler = routes({
  'GET /operations/{id}': operationRoute(),
});
