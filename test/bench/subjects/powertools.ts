import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import {
  answer,
  callerOf,
  type JobResponse,
  type JobStore,
  moveMoney,
  readTransfer,
  type Transfer,
} from './transfer-job.ts';

/** The work that is made idempotent, with what its key and its validation are taken from. */
interface Work {
  readonly caller: string;
  readonly key: string | undefined;
  readonly transfer: Transfer;
}

/** As long as the wallet keeps its keys. */
const ONE_DAY_SECONDS = 86_400;

/**
 * The peer as its documentation sets it up: the function that does the work is wrapped, the key is the client's within
 * its caller, the payload is validated, and the Lambda context is registered, so that a crashed attempt is not in
 * progress for ever.
 *
 * @see https://docs.aws.amazon.com/powertools/typescript/latest/features/idempotency/
 */
export function powertoolsTransfers(store: JobStore, persistenceStore: DynamoDBPersistenceLayer) {
  const config = new IdempotencyConfig({
    eventKeyJmesPath: '[caller, key]',
    payloadValidationJmesPath: 'transfer',
    expiresAfterSeconds: ONE_DAY_SECONDS,
    throwOnNoIdempotencyKey: true,
  });
  const work = ({ transfer, caller }: Work): Promise<JobResponse> => moveMoney(store, transfer, caller);
  const once = makeIdempotent(work, { persistenceStore, config });
  return async (event: APIGatewayProxyEventV2, context: Context): Promise<JobResponse> => {
    config.registerLambdaContext(context);
    const caller = await callerOf(event.headers.authorization, store);
    if (caller === undefined) return answer(401, { type: 'unauthenticated' });
    const transfer = readTransfer(event.body);
    if (transfer === undefined) return answer(400, { type: 'invalid-body' });
    try {
      return (await once({ caller, key: event.headers['idempotency-key'], transfer })) as JobResponse;
    } catch (error) {
      return answerOf(error);
    }
  };
}

/** What the library throws, as an HTTP API would say it: in progress is worth another try. */
export function answerOf(error: unknown): JobResponse {
  switch (error instanceof Error ? error.name : '') {
    case 'IdempotencyAlreadyInProgressError':
      return answer(409, { type: 'request-in-flight' }, 1);
    case 'IdempotencyValidationError':
      return answer(422, { type: 'idempotency-key-reused' });
    case 'IdempotencyKeyError':
      return answer(400, { type: 'idempotency-key-missing' });
    default:
      return answer(500, { type: 'internal-error' });
  }
}
