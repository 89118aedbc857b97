/**
 * Every problem the service answers, in one table (R16, R19): status, title, whether a client may usefully retry the
 * same request, and whether the answer is final, that is stored under the key and replayed.
 * The code is the last part of the problem's `type`, a relative URL that the service itself answers.
 */
interface Problem {
  readonly status: number;
  readonly title: string;
  /** May the same request, sent again, end differently? */
  readonly retryable: boolean;
  /** Is this answer final for its key? */
  readonly stored: boolean;
}

const unstored = (status: number, title: string): Problem => ({ status, title, retryable: false, stored: false });
const transient = (status: number, title: string): Problem => ({ status, title, retryable: true, stored: false });
const refusal = (status: number, title: string): Problem => ({ status, title, retryable: false, stored: true });

export const PROBLEMS = {
  // The request itself: corrected and sent again, its key is still usable (R15).
  'idempotency-key-missing': unstored(400, 'This operation needs an Idempotency-Key'),
  'idempotency-key-invalid': unstored(400, 'The Idempotency-Key is malformed'),
  'idempotency-key-reused': unstored(422, 'The Idempotency-Key was used for a different request'),
  'invalid-body': unstored(400, 'The body is not valid'),
  'invalid-query': unstored(400, 'The query is not valid'),
  'body-too-large': unstored(413, 'The body is too large'),
  'media-type-unsupported': unstored(415, 'The media type is not supported'),
  unauthenticated: unstored(401, 'The API key is missing, unknown or revoked'),
  forbidden: unstored(403, 'The caller may not see this reply'),
  'route-not-found': unstored(404, 'There is no such route'),
  'problem-not-found': unstored(404, 'There is no such problem'),
  'operation-not-found': unstored(404, 'There is no such operation'),
  'precondition-failed': unstored(412, 'The resource has changed'),
  'precondition-required': unstored(428, 'This request must be conditional'),

  // The moment: sent again later, it goes on.
  'request-in-flight': transient(409, 'The first request with this key is still running'),
  'too-many-conflicts': transient(503, 'Too many requests change the same data at once'),
  'store-unavailable': transient(503, 'The store cannot be reached'),
  'queue-unavailable': transient(503, 'The queue cannot be reached'),
  'cipher-unavailable': transient(503, 'Replies cannot be encrypted or decrypted at the moment'),
  'outcome-unknown': transient(503, 'The outcome is not known yet'),
  'needs-attention': unstored(503, 'The operation waits for a person'),
  'internal-error': transient(500, 'The service failed'),
  'reply-too-large': unstored(500, 'The reply is too large to keep, so nothing was done'),

  // Final answers.
  'reply-not-kept': unstored(410, 'The operation was done, but its reply is not kept'),
  'account-not-found': refusal(404, 'There is no such account'),
  'transfer-not-found': refusal(404, 'There is no such transfer'),
  'charge-not-found': refusal(404, 'There is no such charge'),
  'order-not-found': refusal(404, 'There is no such order'),
  'insufficient-funds': refusal(402, 'The account holds too little'),
  'card-declined': refusal(402, 'The card was declined'),
  'currency-mismatch': refusal(422, 'The accounts have different currencies'),
  'balance-limit': refusal(422, 'The balance would pass the limit'),
  'refund-exceeds-charge': refusal(422, 'The refund exceeds what is left of the charge'),
  'order-differs': refusal(422, 'The order exists with other contents'),
  'grant-deleted': refusal(409, 'The grant was deleted'),
  'message-refused': unstored(422, 'The message can never be applied'),
  'event-id-reused': unstored(409, 'The event id was used for a different event'),
  'signature-invalid': unstored(401, 'The signature is not valid'),
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Looks a problem up by a code that came from outside; undefined when there is none. */
export const findProblem = (code: string): Problem | undefined =>
  Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code as ProblemCode] : undefined;

interface ProblemExtras {
  /** Milliseconds after which a retry makes sense; becomes `Retry-After`, rounded up to seconds. */
  readonly retryAfter?: number;
  readonly operationId?: string;
  /** What is wrong, input by input. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly cause?: unknown;
}

/** The one error of the library: a code of PROBLEMS and a sentence that names the input and the fix. */
export class SemelError extends Error {
  readonly code: ProblemCode;
  readonly retryAfter: number | undefined;
  readonly operationId: string | undefined;
  readonly errors: ProblemExtras['errors'];

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause });
    this.name = 'SemelError';
    this.code = code;
    this.retryAfter = extras.retryAfter;
    this.operationId = extras.operationId;
    this.errors = extras.errors;
  }
}
