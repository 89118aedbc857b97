import { fileURLToPath } from 'node:url';
import { CfnOutput, RemovalPolicies, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { IdempotencyTable } from './constructs/idempotency-table.ts';
import { IdempotentEndpoint, type IdempotentEndpointProps, type Route } from './constructs/idempotent-endpoint.ts';

export interface SemelStackProps extends StackProps {
  /** Deletes the tables and their data together with the stack: for trying out, not for money. @default false */
  readonly ephemeral?: boolean;
  /** How many requests a second, and how many at once, the API lets through. @default { rateLimit: 200, burstLimit: 400 } */
  readonly throttle?: { readonly rateLimit: number; readonly burstLimit: number };
}

/** The wallet: its ledger, Semel's table, and an HTTP API with one function per resource. */
export class SemelStack extends Stack {
  constructor(scope: Construct, id: string, props: SemelStackProps = {}) {
    super(scope, id, { description: 'Semel: a wallet whose retries happen once', ...props });
    const removalPolicy = props.ephemeral ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    const idempotency = new IdempotencyTable(this, 'Idempotency', { removalPolicy });
    const data = dataTable(this, removalPolicy);
    const api = httpApi(this, props.throttle ?? { rateLimit: 200, burstLimit: 400 });

    addEndpoint(this, 'Accounts', {
      api,
      entry: functionFile('accounts'),
      routes: ['POST /accounts', 'GET /accounts/{id}', 'GET /accounts/{id}/entries'],
      idempotency: { table: idempotency },
      data: { table: data, actions: ['GetItem', 'PutItem'], queryIndexes: ['byDebtor', 'byCreditor'] },
    });
    addEndpoint(this, 'Transfers', {
      api,
      entry: functionFile('transfers'),
      routes: ['POST /transfers', 'GET /transfers/{id}'],
      idempotency: { table: idempotency },
      data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem'] },
    });
    const routes: Route[] = ['GET /openapi.json', 'GET /problems/{code}', 'GET /health'];
    addEndpoint(this, 'Service', { api, entry: functionFile('service'), routes }, PUBLIC);

    new CfnOutput(this, 'ApiUrl', { value: api.apiEndpoint });
    new CfnOutput(this, 'IdempotencyTableName', { value: idempotency.table.tableName });
    new CfnOutput(this, 'DataTableName', { value: data.tableName });
    if (props.ephemeral) RemovalPolicies.of(this).destroy();
  }
}

const functionFile = (name: string): string => fileURLToPath(new URL(`../functions/${name}.ts`, import.meta.url));

/** Why routes have no authorizer at the gateway, which cdk-nag asks of each. */
const KEY_IS_CHECKED_INSIDE =
  'The function checks the API key on every request with a consistent read (R4); an authorizer would be a second ' +
  'invocation, and its cache would let a revoked key replay.';
const PUBLIC = 'The contract, the problem pages and the health check are public and touch no table.';

const addEndpoint = (
  stack: Stack,
  id: string,
  props: IdempotentEndpointProps,
  openBecause = KEY_IS_CHECKED_INSIDE,
): void => {
  const endpoint = new IdempotentEndpoint(stack, id, { serviceName: 'wallet', ...props });
  Validations.of(endpoint).acknowledge({ id: 'AwsSolutions::AwsSolutions-APIG4', reason: openBecause });
};

/** Accounts, transfers, ledger entries and API keys. An entry is found from the account on either side of it. */
const dataTable = (stack: Stack, removalPolicy: RemovalPolicy): Table => {
  const table = new Table(stack, 'Data', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy,
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
  });
  const sortKey = { name: 'entryUuid', type: AttributeType.STRING };
  table.addGlobalSecondaryIndex({
    indexName: 'byDebtor',
    partitionKey: { name: 'debitAccount', type: AttributeType.STRING },
    sortKey,
  });
  table.addGlobalSecondaryIndex({
    indexName: 'byCreditor',
    partitionKey: { name: 'creditAccount', type: AttributeType.STRING },
    sortKey,
  });
  return table;
};

/** The API with its one stage, throttled so that a runaway client cannot run up the bill, and logged per request. */
const httpApi = (stack: Stack, throttle: { rateLimit: number; burstLimit: number }): HttpApi => {
  const api = new HttpApi(stack, 'Api', { apiName: stack.stackName, createDefaultStage: false });
  new HttpStage(stack, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle,
    accessLogSettings: {
      destination: new LogGroupLogDestination(
        new LogGroup(stack, 'AccessLogs', { retention: RetentionDays.THREE_MONTHS }),
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
