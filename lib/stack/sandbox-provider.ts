import { Duration, type RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { IdempotentEndpoint } from '../constructs/idempotent-endpoint.ts';
import { grantItems } from '../constructs/table-grant.ts';
import { ENVIRONMENT } from '../environment.ts';
import { functionFile } from './function-file.ts';
import { httpApi } from './http-api.ts';
import { providerTable } from './tables.ts';

const NO_MONEY =
  'The sandbox stands in for a payment provider: it holds no money, knows no cards and is throttled. Give the stack a ' +
  'providerUrl for a real one.';

/** A payment provider to try against, with an API of its own, since the wallet reaches a real one over HTTP too. */
export class SandboxProvider extends Construct {
  /** Where it is reached. */
  readonly url: string;

  constructor(stack: Stack, id: string, removalPolicy: RemovalPolicy) {
    super(stack, id);
    const table = providerTable(this, removalPolicy);
    const api = httpApi(this, {
      apiName: `${stack.stackName}-sandbox-provider`,
      throttle: { rateLimit: 100, burstLimit: 200 },
    });
    const endpoint = new IdempotentEndpoint(this, 'Endpoint', {
      api,
      entry: functionFile('sandbox-provider'),
      routes: ['POST /charges', 'GET /charges', 'POST /refunds', 'GET /refunds'],
      serviceName: 'sandbox-provider',
      // Its late answer comes after 12 s.
      timeout: Duration.seconds(20),
      environment: { [ENVIRONMENT.providerTable]: table.tableName },
    });
    grantItems(table, endpoint.function, ['GetItem', 'PutItem', 'UpdateItem']);
    Validations.of(endpoint).acknowledge({ id: 'AwsSolutions::AwsSolutions-APIG4', reason: NO_MONEY });
    this.url = api.apiEndpoint;
  }
}
