import { CfnOutput, type Stack, Validations } from 'aws-cdk-lib';
import { WebhookEndpoint } from '../constructs/webhook-endpoint.ts';
import { functionFile } from './function-file.ts';
import { addEndpoint, type WalletParts } from './wallet-endpoints.ts';

const SIGNED =
  'Providers have no API key: the function verifies the signature over the raw body, which an authorizer does not get.';
const ROTATED_ELSEWHERE =
  'The provider makes these secrets, so rotating them starts there; the function takes the old and the new one meanwhile.';

/** Orders, grants and settings: each protects itself, so none of them is given Semel's table. */
export const addKeylessEndpoints = (stack: Stack, { api, data }: WalletParts): void => {
  addEndpoint(stack, 'Orders', {
    api,
    routes: ['POST /orders', 'POST /orders/{orderId}/payment'],
    data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  });
  addEndpoint(stack, 'Grants', {
    api,
    routes: [
      'PUT /accounts/{id}/grants/{grantId}',
      'DELETE /accounts/{id}/grants/{grantId}',
      'PUT /accounts/{id}/settings',
    ],
    data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  });
};

/** Payments that providers report. The outputs name the secrets to fill in. */
export const addWebhookEndpoint = (stack: Stack, { api, idempotency, data }: WalletParts): void => {
  const webhooks = new WebhookEndpoint(stack, 'Webhooks', {
    ...{ api, idempotency, serviceName: 'wallet', entry: functionFile('webhooks') },
    sources: { standard: {}, stripe: {}, github: {} },
    data: { table: data, actions: ['GetItem', 'PutItem', 'UpdateItem'] },
  });
  Validations.of(webhooks).acknowledge({ id: 'AwsSolutions::AwsSolutions-APIG4', reason: SIGNED });
  Validations.of(webhooks).acknowledge({ id: 'AwsSolutions::AwsSolutions-SMG4', reason: ROTATED_ELSEWHERE });
  for (const [source, { secretArn }] of Object.entries(webhooks.secrets)) {
    new CfnOutput(stack, `WebhookSecret${source[0]?.toUpperCase()}${source.slice(1)}`, { value: secretArn });
  }
};
