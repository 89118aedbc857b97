import { Duration } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { webhookSecretArnName } from '../environment.ts';
import type { BundledFunctionProps } from './bundled-function.ts';
import type { DataAccess } from './data-access.ts';
import type { IdempotencyTable } from './idempotency-table.ts';
import { IdempotentEndpoint, type Route } from './idempotent-endpoint.ts';

/** Where one provider's webhooks arrive. */
export interface WebhookSourceProps {
  /** @default 'POST /webhooks/<name of the source>' */
  readonly route?: Route;
  /**
   * Holds the signing secret as text, or several, one a line, while a rotation goes on.
   * @default a new secret with a random value, to be replaced by the provider's: until then no delivery is believed
   */
  readonly secret?: ISecret;
}

export interface WebhookEndpointProps extends Omit<BundledFunctionProps, 'timeout'> {
  /** The HTTP API that the routes belong to. */
  readonly api: IHttpApi;
  /** The providers, by the names that their sources have in the handler. @example { stripe: {} } */
  readonly sources: Readonly<Record<string, WebhookSourceProps>>;
  /** Where the events are remembered. */
  readonly idempotency: IdempotencyTable;
  /** The application's own table and what may be done with it. @default none */
  readonly data?: DataAccess;
  /** How long one delivery may take: providers hang up after about ten seconds. @default Duration.seconds(8) */
  readonly timeout?: Duration;
}

/**
 * A Lambda function that takes webhooks, and may read their signing secrets.
 * @example
 * const hooks = new WebhookEndpoint(this, 'Webhooks', { api, entry: 'functions/webhooks.ts', sources: { stripe: {} }, idempotency });
 * hooks.secrets.stripe; // to be given the value that Stripe's dashboard shows
 */
export class WebhookEndpoint extends Construct {
  readonly function: NodejsFunction;
  /** The signing secrets, by source. */
  readonly secrets: Readonly<Record<string, ISecret>>;

  constructor(scope: Construct, id: string, props: WebhookEndpointProps) {
    super(scope, id);
    const { sources, idempotency, timeout = Duration.seconds(8), ...rest } = props;
    const named = Object.entries(sources);
    this.function = new IdempotentEndpoint(this, 'Endpoint', {
      ...rest,
      timeout,
      routes: named.map(([name, { route }]) => route ?? (`POST /webhooks/${name}` as Route)),
      idempotency: { table: idempotency },
      // By signatures.
      authentication: 'own',
    }).function;
    this.secrets = Object.fromEntries(named.map(([name, { secret }]) => [name, secret ?? this.newSecret(name)]));
    for (const [name, secret] of Object.entries(this.secrets)) this.give(name, secret);
  }

  /** Letters and digits, a multiple of four of them: a valid key to every source, known to nobody. */
  private newSecret(source: string): Secret {
    return new Secret(this, `${source}-secret`, {
      description: `Signing secret of the ${source} webhooks: replace it by the provider's, one a line`,
      generateSecretString: { excludePunctuation: true, passwordLength: 32 },
    });
  }

  /** Permission and name together, like every grant here. */
  private give(source: string, secret: ISecret): void {
    const resourceArns = [secret.secretArn];
    const grantee = this.function;
    Grant.addToPrincipal({ grantee, actions: ['secretsmanager:GetSecretValue'], resourceArns }).assertSuccess();
    secret.encryptionKey?.grantDecrypt(grantee).assertSuccess();
    this.function.addEnvironment(webhookSecretArnName(source), secret.secretArn);
  }
}
