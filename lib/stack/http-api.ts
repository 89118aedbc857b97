import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

interface HttpApiOptions {
  readonly apiName: string;
  /** How many requests a second, and how many at once, it lets through. */
  readonly throttle: { readonly rateLimit: number; readonly burstLimit: number };
}

/** An API with its one stage, throttled so that a runaway client cannot run up the bill, and logged per request. */
export const httpApi = (scope: Construct, { apiName, throttle }: HttpApiOptions): HttpApi => {
  const api = new HttpApi(scope, 'Api', { apiName, createDefaultStage: false });
  new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle,
    accessLogSettings: {
      destination: new LogGroupLogDestination(
        new LogGroup(scope, 'AccessLogs', { retention: RetentionDays.THREE_MONTHS }),
      ),
      format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
    },
  });
  return api;
};

/** No path and no query: they name accounts, and the route is enough to read a graph by. */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latency: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
};
