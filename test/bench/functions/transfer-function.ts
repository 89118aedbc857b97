import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { ENVIRONMENT } from '../../../lib/environment.ts';
import { documentClient } from '../../../lib/store/document-client.ts';
import { answer, callerOf, type JobResponse, type JobStore, showTransfer } from '../subjects/transfer-job.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<JobResponse>;

/** The tables as the environment names them, by the same client as the wallet's. */
export const environmentStore = (): JobStore => ({
  client: documentClient(),
  dataTable: process.env[ENVIRONMENT.dataTable] ?? '',
});

/** Beside the transfer itself, what the wallet's function does too: the other route, a line in the log, a metric. */
export function transferFunction(store: JobStore, create: Handler): Handler {
  const logger = new Logger();
  const metrics = new Metrics();
  return async (event, context) => {
    const response = event.routeKey === 'POST /transfers' ? await create(event, context) : await show(event, store);
    logger.info('Answered', { route: event.routeKey, status: response.statusCode });
    metrics.addMetric(response.statusCode < 300 ? 'Succeeded' : 'Refused', 'Count', 1);
    metrics.publishStoredMetrics();
    return response;
  };
}

async function show(event: APIGatewayProxyEventV2, store: JobStore): Promise<JobResponse> {
  const caller = await callerOf(event.headers.authorization, store);
  if (caller === undefined) return answer(401, { type: 'unauthenticated' });
  return showTransfer(store, event.pathParameters?.id ?? '', caller);
}
