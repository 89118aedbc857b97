import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import { IdempotencyTable } from '../../lib/constructs/idempotency-table.ts';
import { WebhookEndpoint, type WebhookEndpointProps } from '../../lib/constructs/webhook-endpoint.ts';
import { environmentOf, statementsFor, synthesize } from './synthesize.ts';

const webhooks = (props: Partial<WebhookEndpointProps> | ((scope: WebhookScope) => Partial<WebhookEndpointProps>)) =>
  synthesize((stack) => {
    new WebhookEndpoint(stack, 'Webhooks', {
      api: new HttpApi(stack, 'Api'),
      entry: 'functions/webhooks.ts',
      sources: { stripe: {}, github: {} },
      idempotency: new IdempotencyTable(stack, 'Idempotency'),
      ...(typeof props === 'function' ? props(stack) : props),
    });
  });
type WebhookScope = ConstructorParameters<typeof WebhookEndpoint>[0];

describe('WebhookEndpoint', () => {
  it('R31 has a route and a secret for each source', () => {
    const template = webhooks({});
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual([
      'POST /webhooks/github',
      'POST /webhooks/stripe',
    ]);
    template.resourceCountIs('AWS::SecretsManager::Secret', 2);
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 32 },
    });
  });

  it('R31 tells the function the names of its secrets, never their values', () => {
    const environment = environmentOf(webhooks({}), 'Webhooks');
    expect(environment.WEBHOOK_SECRET_ARN_STRIPE).toEqual({ Ref: expect.stringMatching(/stripesecret/) });
    expect(environment.WEBHOOK_SECRET_ARN_GITHUB).toEqual({ Ref: expect.stringMatching(/githubsecret/) });
    expect(Object.keys(environment).filter((name) => /SECRET_(?!ARN)/.test(name))).toEqual([]);
  });

  it('lets the function read these secrets and nothing else', () => {
    const allowed = statementsFor(webhooks({}), 'secretsmanager');
    expect(new Set(allowed.flatMap(({ Action }) => Action))).toEqual(new Set(['secretsmanager:GetSecretValue']));
    for (const resource of allowed.flatMap(({ Resource }) => Resource)) expect(resource).toHaveProperty('Ref');
  });

  it('takes a route and a secret that are there, with its customer key', () => {
    const template = webhooks((stack) => ({
      sources: {
        stripe: {
          route: 'POST /hooks',
          secret: new Secret(stack, 'Known', { encryptionKey: new Key(stack, 'Key') }),
        },
      },
    }));
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'POST /hooks' });
    expect(statementsFor(template, 'kms').flatMap(({ Action }) => Action)).toContain('kms:Decrypt');
  });

  it('answers before providers hang up', () => {
    webhooks({}).hasResourceProperties('AWS::Lambda::Function', { Timeout: 8 });
  });
});
