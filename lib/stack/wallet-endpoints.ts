import { Duration, type Stack, Validations } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IdempotencyTable } from '../constructs/idempotency-table.ts';
import { IdempotentEndpoint, type IdempotentEndpointProps } from '../constructs/idempotent-endpoint.ts';
import { ENVIRONMENT } from '../environment.ts';
import { functionFile } from './function-file.ts';

/** What the wallet's endpoints have in common. */
export interface WalletParts {
  readonly api: IHttpApi;
  readonly idempotency: IdempotencyTable;
  readonly data: ITable;
  /** Where the payment provider is reached. */
  readonly providerUrl: string;
}

/** Why routes have no authorizer at the gateway, which cdk-nag asks of each. */
const KEY_IS_CHECKED_INSIDE =
  'The function checks the API key on every request with a consistent read (R4); an authorizer would be a second ' +
  'invocation, and its cache would let a revoked key replay.';
const PUBLIC = 'The contract, the problem pages and the health check are public and touch no table.';

export const addEndpoint = (
  stack: Stack,
  id: string,
  props: Omit<IdempotentEndpointProps, 'entry'>,
  openBecause = KEY_IS_CHECKED_INSIDE,
): IdempotentEndpoint => {
  const entry = functionFile(id.toLowerCase());
  const endpoint = new IdempotentEndpoint(stack, id, { serviceName: 'wallet', entry, ...props });
  Validations.of(endpoint).acknowledge({ id: 'AwsSolutions::AwsSolutions-APIG4', reason: openBecause });
  return endpoint;
};

/** Accounts and transfers: their effects are all in DynamoDB. */
export const addLedgerEndpoints = (stack: Stack, { api, idempotency, data }: WalletParts): void => {
  addEndpoint(stack, 'Accounts', {
    api,
    routes: ['POST /accounts', 'GET /accounts/{id}', 'GET /accounts/{id}/entries'],
    idempotency: { table: idempotency },
    data: { table: data, actions: ['GetItem', 'PutItem'], queryIndexes: ['byDebtor', 'byCreditor'] },
  });
  addEndpoint(stack, 'Transfers', {
    api,
    routes: ['POST /transfers', 'GET /transfers/{id}'],
    idempotency: { table: idempotency },
    data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem'] },
  });
};

/** Charges and refunds, which reach the provider, and a look at how an operation stands. */
export const addChargeEndpoints = (stack: Stack, { api, idempotency, data, providerUrl }: WalletParts): void => {
  addEndpoint(stack, 'Charges', {
    api,
    routes: ['POST /charges', 'GET /charges/{id}', 'POST /charges/{id}/refunds'],
    // A provider's 8 s, and what looking up, booking and answering take beside it.
    timeout: Duration.seconds(12),
    idempotency: { table: idempotency, mode: 'leased' },
    data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem'] },
    environment: { [ENVIRONMENT.providerUrl]: providerUrl },
  });
  addEndpoint(stack, 'Operations', {
    api,
    routes: ['GET /operations/{id}'],
    idempotency: { table: idempotency, mode: 'read' },
    data: { table: data, actions: ['GetItem'] },
  });
};

/** What anyone may read. */
export const addPublicEndpoint = (stack: Stack, { api }: Pick<WalletParts, 'api'>): void => {
  addEndpoint(stack, 'Service', { api, routes: ['GET /openapi.json', 'GET /problems/{code}', 'GET /health'] }, PUBLIC);
};
