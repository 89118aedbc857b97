import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { IdempotencyTable, IdempotentEndpoint } from 'semel/cdk';

const stack = new Stack(new App(), 'Notes');
const api = new HttpApi(stack, 'Api');
const notes = new Table(stack, 'Table', {
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  sortKey: { name: 'sk', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
});

new IdempotentEndpoint(stack, 'CreateNote', {
  api,
  entry: 'create-note.ts',
  routes: ['POST /notes'],
  idempotency: { table: new IdempotencyTable(stack, 'Idempotency') },
  data: { table: notes, actions: ['GetItem', 'PutItem'] },
});

new CfnOutput(stack, 'ApiUrl', { value: api.apiEndpoint });
new CfnOutput(stack, 'DataTableName', { value: notes.tableName });
