import { openRoute } from '../lib/http/open-route.ts';
import { showProblem } from '../lib/http/problem-page.ts';
import { routes } from '../lib/http/routes.ts';
import { openApi } from '../lib/wallet/openapi.ts';

export const handler = routes({
  'GET /openapi.json': openRoute(() => ({ status: 200, body: openApi() })),
  'GET /problems/{code}': openRoute(({ code }) => showProblem(code ?? '')),
  'GET /health': openRoute(() => ({ status: 200, body: { status: 'ok' } })),
});
