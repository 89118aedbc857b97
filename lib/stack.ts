import { CfnOutput, RemovalPolicies, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { TRACING_CONTEXT } from './constructs/bundled-function.ts';
import { IdempotencyTable } from './constructs/idempotency-table.ts';
import { httpApi } from './stack/http-api.ts';
import { addKeylessEndpoints, addWebhookEndpoint } from './stack/keyless-endpoints.ts';
import { addDeposits, addNotifications, addSenders, addSettlement } from './stack/messages.ts';
import { addReconcileSchedule } from './stack/reconcile-schedule.ts';
import { SandboxProvider } from './stack/sandbox-provider.ts';
import { customerKey, dataTable, keyHashSecret } from './stack/tables.ts';
import { addChargeEndpoints, addLedgerEndpoints, addPublicEndpoint } from './stack/wallet-endpoints.ts';
import { addWatch } from './stack/watch-service.ts';

export interface SemelStackProps extends StackProps {
  /** Deletes the tables and their data together with the stack: for trying out, not for money. @default false */
  readonly ephemeral?: boolean;
  /** How many requests a second, and how many at once, the API lets through. @default { rateLimit: 200, burstLimit: 400 } */
  readonly throttle?: { readonly rateLimit: number; readonly burstLimit: number };
  /** Where the payment provider is reached. @default a sandbox provider that is deployed with the stack */
  readonly providerUrl?: string;
  /** Sends traces to X-Ray. @default what the context `semel:tracing` says, else false */
  readonly tracing?: boolean;
  /** Keeps key hashes under a secret of the stack's own (`IdempotencyTable.keySecret`). Decide before the first request. @default false */
  readonly keySecret?: boolean;
  /** Encrypts the tables with a key of this account's own, which can be audited and withdrawn. @default false: a key that AWS owns */
  readonly customerKey?: boolean;
}

/** The wallet: its ledger, Semel's table, an HTTP API with one function per resource, and what finishes their work. */
export class SemelStack extends Stack {
  constructor(scope: Construct, id: string, props: SemelStackProps = {}) {
    super(scope, id, { description: 'Semel: a wallet whose retries happen once', ...props });
    const removalPolicy = props.ephemeral ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    if (props.tracing !== undefined) this.node.setContext(TRACING_CONTEXT, props.tracing);
    const throttle = props.throttle ?? { rateLimit: 200, burstLimit: 400 };
    const encryption = props.customerKey ? { encryptionKey: customerKey(this, removalPolicy) } : {};
    const keySecret = props.keySecret ? { keySecret: keyHashSecret(this, removalPolicy) } : {};
    const idempotency = new IdempotencyTable(this, 'Idempotency', { removalPolicy, ...encryption, ...keySecret });
    const data = dataTable(this, removalPolicy, encryption);
    const api = httpApi(this, { apiName: this.stackName, throttle });
    const providerUrl = props.providerUrl ?? new SandboxProvider(this, 'SandboxProvider', removalPolicy).url;

    const parts = { api, idempotency, data, providerUrl };
    addLedgerEndpoints(this, parts);
    addChargeEndpoints(this, parts);
    addKeylessEndpoints(this, parts);
    addWebhookEndpoint(this, parts);
    addDeposits(this, parts);
    addSenders(this, parts);
    addNotifications(this, parts);
    addSettlement(this, parts);
    addPublicEndpoint(this, parts);
    addReconcileSchedule(this, parts);
    addWatch(this, parts);

    new CfnOutput(this, 'ApiUrl', { value: api.apiEndpoint });
    new CfnOutput(this, 'IdempotencyTableName', { value: idempotency.table.tableName });
    new CfnOutput(this, 'DataTableName', { value: data.tableName });
    if (props.ephemeral) RemovalPolicies.of(this).destroy();
  }
}
