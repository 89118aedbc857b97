import { Duration } from 'aws-cdk-lib';
import { type HttpMethod, HttpRoute, HttpRouteKey, type IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { BundledFunction, type BundledFunctionProps } from './bundled-function.ts';
import { type DataAccess, grantData } from './data-access.ts';
import type { IdempotencyTable } from './idempotency-table.ts';
import { keySchemaOf } from './key-schema.ts';
import { grantReplyKey } from './reply-key.ts';

/** A method and a path, as HTTP APIs write them. @example 'POST /transfers' */
export type Route = `${Exclude<HttpMethod, HttpMethod.ANY>} /${string}`;

/** What a function does with records: `leased` may do all that `atomic` may; `read` only shows them. */
export type IdempotencyMode = 'atomic' | 'leased' | 'read';

export interface IdempotentEndpointProps extends Omit<BundledFunctionProps, 'timeout'> {
  /** The HTTP API that the routes belong to. */
  readonly api: IHttpApi;
  /** The routes that the function answers. */
  readonly routes: readonly Route[];
  /** How long one request may take, at most 25 s. @default Duration.seconds(10) */
  readonly timeout?: Duration;
  /** Where the records are and how the function uses them. @default none: no route of the function needs a key */
  readonly idempotency?: {
    readonly table: IdempotencyTable;
    /** @default 'atomic' */
    readonly mode?: IdempotencyMode;
    /**
     * The key under which operations with `storedBody: 'encrypted'` encrypt their replies; it may be another one than
     * the table's. `read` may decrypt only.
     * @default none: nothing is encrypted but by the table
     */
    readonly replyKey?: IKey;
  };
  /**
   * The application's own table and what may be done with it. Unless the handler authenticates by itself, API keys are
   * looked up in it too, so its keys are `pk` and `sk`, both strings.
   * @default none
   */
  readonly data?: DataAccess;
  /**
   * How the handler finds out who is asking: by API keys out of the data table, or by an `authenticate` of its own.
   * @default 'api-keys'
   */
  readonly authentication?: 'api-keys' | 'own';
}

/** What an HTTP API waits for a function, in seconds; it cannot be raised. */
const GATEWAY_SECONDS = 30;
/** The rest is for the cold start, which a function's timeout does not count, and for the way back. */
const LONGEST_SECONDS = 25;

/**
 * A Lambda function behind routes of an HTTP API, allowed to do what its idempotency mode needs and nothing more.
 * @example
 * new IdempotentEndpoint(this, 'Transfers', {
 *   api, entry: 'functions/transfers.ts', routes: ['POST /transfers', 'GET /transfers/{id}'],
 *   idempotency: { table: idempotency }, data: { table: ledger, actions: ['GetItem', 'PutItem', 'UpdateItem'] },
 * });
 */
export class IdempotentEndpoint extends Construct {
  readonly function: NodejsFunction;

  /** @throws Error when the timeout is over 25 s, and when API keys cannot be looked up in the data table */
  constructor(scope: Construct, id: string, props: IdempotentEndpointProps) {
    super(scope, id);
    const timeout = props.timeout ?? Duration.seconds(10);
    refuseLongTimeout(this, timeout);
    if (props.data && props.authentication !== 'own') refuseOtherKeys(this, props.data);
    this.function = new BundledFunction(this, 'Handler', { ...props, timeout }).function;
    const { idempotency } = props;
    if (idempotency) grantRecords(this.function, idempotency);
    if (props.data) grantData(this.function, props.data);
    this.addRoutes(props.api, props.routes);
  }

  private addRoutes(httpApi: IHttpApi, routes: readonly Route[]): void {
    const integration = new HttpLambdaIntegration('Integration', this.function);
    for (const route of routes) {
      const [method, path] = route.split(' ') as [HttpMethod, string];
      new HttpRoute(this, route.replace(' ', ''), { httpApi, routeKey: HttpRouteKey.with(path, method), integration });
    }
  }
}

/**
 * Fails synthesis for a function that could still work on a request that its client was already told has failed.
 * @rule R13
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const refuseLongTimeout = (endpoint: Construct, timeout: Duration): void => {
  const seconds = timeout.toSeconds({ integral: false });
  if (seconds <= LONGEST_SECONDS) return;
  throw new Error(
    `${endpoint.node.path}: the timeout is ${seconds} s but may be at most ${LONGEST_SECONDS} s, ` +
      `because the HTTP API gives up at ${GATEWAY_SECONDS} s while the function would go on.`,
  );
};

/** What an item of an API key is found by. */
const API_KEY_KEYS = ['pk (S)', 'sk (S)'];

/**
 * Fails synthesis for a table in which no API key can be looked up: every request would be answered 500.
 * @rule R4
 */
const refuseOtherKeys = (endpoint: Construct, { table }: DataAccess): void => {
  const keys = keySchemaOf(table)?.map(({ name, type }) => `${name} (${type})`);
  if (keys === undefined || keys.join() === API_KEY_KEYS.join()) return;
  throw new Error(
    `${endpoint.node.path}: API keys are looked up in the data table ${table.node.path} by ${API_KEY_KEYS.join(' and ')}, ` +
      `but its keys are ${keys.join(' and ')}. Give the table these keys, or, where the handler has an authenticate of ` +
      "its own, say authentication: 'own'.",
  );
};

const grantRecords = (
  fn: NodejsFunction,
  { table, mode = 'atomic', replyKey }: NonNullable<IdempotentEndpointProps['idempotency']>,
): void => {
  GRANTS[mode](table, fn);
  if (replyKey) grantReplyKey(fn, replyKey, mode === 'read' ? 'decrypt' : 'encrypt');
};

const GRANTS: Record<IdempotencyMode, (table: IdempotencyTable, fn: NodejsFunction) => void> = {
  atomic: (table, fn) => table.grantAtomic(fn),
  leased: (table, fn) => table.grantLeased(fn),
  read: (table, fn) => table.grantRead(fn),
};
