import type { TemplateResource } from '../../lib/local/template.ts';

const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
export const resource = (Type: string, Properties: Record<string, unknown>): TemplateResource => ({ Type, Properties });

/** A queue that gives up after three receives, its dead-letter queue, its consumer and the mapping between them. */
export function consumedQueue(
  name: string,
  { queue = {}, mapping = {}, handler = 'consume' }: { queue?: object; mapping?: object; handler?: string } = {},
): Record<string, TemplateResource> {
  const fifo = name.endsWith('Fifo') ? { FifoQueue: true } : {};
  return {
    [name]: resource('AWS::SQS::Queue', {
      ...fifo,
      VisibilityTimeout: 60,
      RedrivePolicy: { deadLetterTargetArn: arn(`${name}Dead`), maxReceiveCount: 3 },
      ...queue,
    }),
    [`${name}Dead`]: resource('AWS::SQS::Queue', fifo),
    ...functionWithRole(`${name}Consumer`, handler, { QUEUE_URL: { Ref: name } }, [
      allow(['dynamodb:PutItem'], arn('Table')),
      allow(['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueue*'], arn(name)),
    ]),
    [`${name}Mapping`]: resource('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      EventSourceArn: arn(name),
      FunctionName: { Ref: `${name}Consumer` },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...mapping,
    }),
  };
}

/** A function that copies what is put under this prefix into the table, and the mapping of the stream to it. */
export function streamConsumer(name: string, prefix: string, mapping: object = {}): Record<string, TemplateResource> {
  const stream = { 'Fn::GetAtt': ['Table', 'StreamArn'] };
  const Pattern = JSON.stringify({ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix }] } } } });
  return {
    ...functionWithRole(`${name}Consumer`, 'copy', {}, [
      allow(['dynamodb:PutItem'], arn('Table')),
      allow(['dynamodb:ListStreams'], '*'),
      allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], stream),
    ]),
    [`${name}Mapping`]: resource('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: stream,
      FunctionName: { Ref: `${name}Consumer` },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      StartingPosition: 'LATEST',
      FilterCriteria: { Filters: [{ Pattern }] },
      ...mapping,
    }),
  };
}

export const allow = (Action: string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource });

function functionWithRole(
  name: string,
  exportName: string,
  variables: object,
  statements: readonly object[],
): Record<string, TemplateResource> {
  return {
    [`${name}Role`]: resource('AWS::IAM::Role', {
      Policies: [{ PolicyName: 'p', PolicyDocument: { Statement: statements } }],
    }),
    [name]: resource('AWS::Lambda::Function', {
      Code: { S3Bucket: 'assets', S3Key: 'tiny.zip' },
      Handler: `index.${exportName}`,
      Runtime: 'nodejs24.x',
      Timeout: 10,
      MemorySize: 256,
      Role: arn(`${name}Role`),
      Environment: { Variables: { DATA_TABLE_NAME: { Ref: 'Table' }, ...variables } },
    }),
  };
}

/** A stack with a table, a function behind an HTTP API that may send to these queues, and what consumes them. */
export function queueTemplate(queues: Record<string, TemplateResource>): {
  Resources: Record<string, TemplateResource>;
} {
  const names = Object.keys(queues).filter((name) => queues[name]?.Type === 'AWS::SQS::Queue');
  const sendable = names.filter((name) => !name.endsWith('Dead')).map(arn);
  return {
    Resources: {
      Table: resource('AWS::DynamoDB::Table', {
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
      ...functionWithRole(
        'Sender',
        'handler',
        Object.fromEntries(names.map((name) => [`URL_${name}`, { Ref: name }])),
        [allow(['sqs:SendMessage', 'sqs:GetQueueUrl'], sendable), allow(['dynamodb:PutItem'], arn('Table'))],
      ),
      Api: resource('AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' }),
      Integration: resource('AWS::ApiGatewayV2::Integration', {
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: arn('Sender'),
        PayloadFormatVersion: '2.0',
      }),
      Route: resource('AWS::ApiGatewayV2::Route', {
        ApiId: { Ref: 'Api' },
        RouteKey: 'POST /{path}',
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
      }),
      ...queues,
    },
  };
}
