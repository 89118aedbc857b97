import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { answer, callerOf, type JobResponse, type JobStore, moveMoney, readTransfer } from './transfer-job.ts';

/** The job as it is without any idempotency: a retry is a new transfer. */
export const naiveTransfers =
  (store: JobStore) =>
  async (event: APIGatewayProxyEventV2): Promise<JobResponse> => {
    const caller = await callerOf(event.headers.authorization, store);
    if (caller === undefined) return answer(401, { type: 'unauthenticated' });
    const transfer = readTransfer(event.body);
    if (transfer === undefined) return answer(400, { type: 'invalid-body' });
    try {
      return await moveMoney(store, transfer, caller);
    } catch {
      return answer(500, { type: 'internal-error' });
    }
  };
