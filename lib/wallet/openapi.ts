import * as z from 'zod';
import { PROBLEMS, type ProblemCode } from '../protocol/problems.ts';
import { ROUTES } from './contract.ts';
import type { PublishedRoute } from './published-route.ts';

/** What any request may be answered. */
const ALWAYS: readonly ProblemCode[] = ['internal-error', 'store-unavailable'];
const WHEN_AUTHENTICATED: readonly ProblemCode[] = ['unauthenticated'];
const WHEN_BODY: readonly ProblemCode[] = [
  'invalid-body',
  'body-too-large',
  'media-type-unsupported',
  'too-many-conflicts',
];
const WHEN_KEYED: readonly ProblemCode[] = [
  'idempotency-key-missing',
  'idempotency-key-invalid',
  'idempotency-key-reused',
  'request-in-flight',
  ...WHEN_BODY,
];
const WHEN_LEASED: readonly ProblemCode[] = ['outcome-unknown', 'needs-attention', 'reply-not-kept'];

/**
 * The service's description (OpenAPI 3.1), derived from the schemas that validate its requests; `x-retention` publishes
 * for how many seconds each operation's replies are replayed (R23).
 *
 * @rule R23
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const published of ROUTES) {
    const [method = '', path = ''] = published.route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(published, path) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The Semel wallet', version: '1', description: DESCRIPTION },
    paths,
    components: {
      schemas: { Problem: PROBLEM_SCHEMA },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const DESCRIPTION =
  'Requests with an Idempotency-Key may be sent any number of times: the effect happens once and every sender gets the first reply.';

const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'retryable'],
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    retryable: { type: 'boolean' },
    operation: { type: 'string' },
    errors: { type: 'array', items: { type: 'object' } },
  },
};

function operationOf(published: PublishedRoute, path: string) {
  const { keyed, open, summary, body = keyed?.body } = published;
  return {
    summary,
    ...(keyed && { operationId: keyed.operation, 'x-retention': keyed.retention }),
    security: open ? [] : [{ apiKey: [] }],
    parameters: parametersOf(published, path),
    ...(body && { requestBody: { required: !body.safeParse(undefined).success, content: json(body) } }),
    responses: { ...successResponses(published), ...problemResponses(published) },
  };
}

function successResponses({ status, repeatedStatus, summary, answer, keyed }: PublishedRoute) {
  const success = { description: summary, ...(answer && { content: json(answer) }) };
  return {
    [status]: success,
    ...(repeatedStatus && { [repeatedStatus]: { ...success, description: 'The same again: it is there already' } }),
    ...(keyed?.mode === 'leased' && { 202: ACCEPTED }),
  };
}

function parametersOf({ keyed, query, headers }: PublishedRoute, path: string) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
  const inQuery = Object.entries(query ?? {}).map(([name, parameter]) => ({ name, in: 'query', ...parameter }));
  const inHeaders = Object.entries(headers ?? {}).map(([name, { description, required = false }]) => ({
    ...{ name, in: 'header', required, description, schema: { type: 'string' } },
  }));
  return [
    ...inPath,
    ...inQuery,
    ...inHeaders,
    ...(keyed ? KEY_HEADERS : []),
    ...(keyed?.mode === 'leased' ? [PREFER_HEADER] : []),
  ];
}

const KEY_HEADERS = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'One per intent, the same on each attempt: 1 to 255 characters, bare or as an RFC 9651 string.',
    schema: { type: 'string' },
  },
  {
    name: 'Idempotency-Attempt',
    in: 'header',
    required: false,
    description: 'A hint: 2 or more when this is a retry.',
    schema: { type: 'integer', minimum: 1 },
  },
];

const PREFER_HEADER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'What becomes of a request whose first attempt is still running: wait=N waits up to N seconds for its reply, respond-async answers 202.',
  schema: { type: 'string' },
};

function problemResponses({ open, keyed, body, problems }: PublishedRoute) {
  const leased = keyed?.mode === 'leased' ? WHEN_LEASED : [];
  const codes = [
    ...problems,
    ...ALWAYS,
    ...(open ? [] : WHEN_AUTHENTICATED),
    ...(keyed ? WHEN_KEYED : []),
    ...(body ? WHEN_BODY : []),
    ...leased,
  ];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      String(status),
      {
        description: same.map((code) => `${code}: ${PROBLEMS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

const json = (schema: z.ZodType) => {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input' });
  return { 'application/json': { schema: plain } };
};

/** After what it uses. */
const ACCEPTED = {
  description: 'The first request with this key is still running, and this one prefers respond-async (R18)',
  headers: { Location: { description: 'Where its reply will be.', schema: { type: 'string' } } },
  content: json(z.object({ operation: z.string().describe('The id to look for at /operations/{id}.') })),
};
