import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import type { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { answerOf } from './powertools.ts';
import { answer, callerOf, type JobResponse, type JobStore, moveMoney, readTransfer } from './transfer-job.ts';

/** The peer's other documented way: its middleware around the whole handler, keyed by headers. */
export function powertoolsMiddyTransfers(store: JobStore, persistenceStore: DynamoDBPersistenceLayer) {
  const config = new IdempotencyConfig({
    eventKeyJmesPath: '[headers.authorization, headers."idempotency-key"]',
    payloadValidationJmesPath: 'powertools_json(body)',
    expiresAfterSeconds: 86_400,
    throwOnNoIdempotencyKey: true,
  });
  const handler = middy<APIGatewayProxyEventV2, JobResponse>({ timeoutEarlyInMillis: 0 })
    .use(makeHandlerIdempotent({ persistenceStore, config }))
    .handler(async (event) => {
      const caller = await callerOf(event.headers.authorization, store);
      if (caller === undefined) return answer(401, { type: 'unauthenticated' });
      const transfer = readTransfer(event.body);
      if (transfer === undefined) return answer(400, { type: 'invalid-body' });
      return moveMoney(store, transfer, caller);
    });
  return async (event: APIGatewayProxyEventV2, context: Context): Promise<JobResponse> => {
    try {
      return await handler(event, context);
    } catch (error) {
      return answerOf(error);
    }
  };
}
