import { createHash } from 'node:crypto';
import { SetupError } from './setup-error.ts';
import type { Template } from './template.ts';

/** What `Ref` and `Fn::GetAtt` of a resource resolve to. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Where the stack pretends to be deployed. */
export interface Place {
  readonly stackName: string;
  readonly region: string;
  readonly account: string;
  /** Ends the names of tables and queues, so that several local clouds can share one DynamoDB Local; may be empty. */
  readonly suffix: string;
  /** Where each HTTP API answers, by its logical id. */
  readonly apiUrls: ReadonlyMap<string, string>;
  /** Where requests to AWS go: queue URLs begin with it, since the SDK follows those and not its settings. */
  readonly proxyUrl: string;
}

interface Naming extends Place {
  readonly logicalId: string;
  /** As the template has them, not resolved. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The physical name: stable over restarts, so that kept data is found again. */
  readonly name: string;
}

type Identify = (naming: Naming) => Identity;

const arn = ({ region, account }: Place, service: string, rest: string): string =>
  `arn:aws:${service}:${region}:${account}:${rest}`;

const named: Identify = ({ name }) => ({ ref: name, attributes: {} });

const suffixed = ({ name, suffix }: Naming): string => (suffix === '' ? name : `${name}-${suffix}`);

const table: Identify = (naming) => {
  const name = suffixed(naming);
  const tableArn = arn(naming, 'dynamodb', `table/${name}`);
  return { ref: name, attributes: { Arn: tableArn, StreamArn: `${tableArn}/stream/local` } };
};

const queue: Identify = (naming) => {
  const name = `${suffixed(naming)}${naming.properties.FifoQueue === true ? '.fifo' : ''}`;
  const attributes = { Arn: arn(naming, 'sqs', name), QueueName: name };
  return { ref: `${naming.proxyUrl}/${naming.account}/${name}`, attributes };
};

const withArn =
  (service: string, kind: string): Identify =>
  (naming) => ({ ref: naming.name, attributes: { Arn: arn(naming, service, `${kind}${naming.name}`) } });

const iam =
  (kind: string): Identify =>
  ({ account, name }) => ({ ref: name, attributes: { Arn: `arn:aws:iam::${account}:${kind}/${name}` } });

const gatewayId: Identify = ({ name }) => ({ ref: shortId(name), attributes: {} });

/** How the resources of each known type are named; what is missing here is an error when the template has it. */
const IDENTIFY: Readonly<Record<string, Identify>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::Lambda::Function': withArn('lambda', 'function:'),
  'AWS::Lambda::EventSourceMapping': named,
  'AWS::Lambda::Permission': named,
  'AWS::IAM::Role': iam('role'),
  'AWS::IAM::Policy': named,
  'AWS::IAM::ManagedPolicy': ({ account, name }) => ({ ref: `arn:aws:iam::${account}:policy/${name}`, attributes: {} }),
  'AWS::ApiGatewayV2::Api': ({ name, logicalId, apiUrls }) => ({
    ref: shortId(name),
    attributes: { ApiEndpoint: apiUrls.get(logicalId) ?? '', ApiId: shortId(name) },
  }),
  'AWS::ApiGatewayV2::Integration': gatewayId,
  'AWS::ApiGatewayV2::Route': gatewayId,
  'AWS::ApiGatewayV2::Stage': gatewayId,
  'AWS::Logs::LogGroup': (naming) => ({
    ref: naming.name,
    attributes: { Arn: arn(naming, 'logs', `log-group:${naming.name}:*`) },
  }),
  'AWS::CloudWatch::Alarm': withArn('cloudwatch', 'alarm:'),
  'AWS::CloudWatch::CompositeAlarm': withArn('cloudwatch', 'alarm:'),
  'AWS::CloudWatch::Dashboard': named,
  'AWS::Logs::MetricFilter': named,
  'AWS::Events::Rule': withArn('events', 'rule/'),
  'AWS::KMS::Key': (naming) => ({
    ref: shortId(naming.name),
    attributes: { Arn: arn(naming, 'kms', `key/${shortId(naming.name)}`) },
  }),
  'AWS::KMS::Alias': named,
  'AWS::SecretsManager::Secret': (naming) => ({
    ref: arn(naming, 'secretsmanager', `secret:${naming.name}`),
    attributes: {},
  }),
  'AWS::SNS::Subscription': named,
  'AWS::SNS::Topic': (naming) => {
    const topicArn = arn(naming, 'sns', naming.name);
    return { ref: topicArn, attributes: { TopicArn: topicArn, TopicName: naming.name } };
  },
  'AWS::SNS::TopicPolicy': named,
  'AWS::SQS::Queue': queue,
  'AWS::SQS::QueuePolicy': named,
  'AWS::CDK::Metadata': named,
};

/** Types that need no running on one machine: they watch, describe or permit what AWS itself does. */
const NOT_RUN: ReadonlySet<string> = new Set([
  'AWS::ApiGatewayV2::Stage',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  // What functions read from it is given to them in their environment here.
  'AWS::SecretsManager::Secret',
  // Alarms are sent nowhere from here.
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  // The policies of CDK's queues ask for TLS, which nothing here speaks; who may do what is said by roles.
  'AWS::SQS::QueuePolicy',
]);

/**
 * Names every resource of a template.
 * @throws SetupError that lists all resources of a type that cannot be run here
 */
export function identify(template: Template, place: Place): Map<string, Identity> {
  const identities = new Map<string, Identity>();
  const unknown: string[] = [];
  for (const [logicalId, { Type: type, Properties: properties = {} }] of Object.entries(template.Resources)) {
    const identity = IDENTIFY[type];
    const name = `${place.stackName}-${logicalId}`;
    if (identity === undefined) unknown.push(`${logicalId} (${type})`);
    else identities.set(logicalId, identity({ ...place, logicalId, name, properties }));
  }
  if (unknown.length > 0) throw new SetupError(`The local cloud cannot run: ${unknown.join(', ')}`);
  return identities;
}

/** Counts what the template has and the local cloud leaves out. @example ['AWS::Logs::LogGroup (4)'] */
export function listNotRun(template: Template): string[] {
  const counts = new Map<string, number>();
  for (const { Type: type } of Object.values(template.Resources)) {
    if (NOT_RUN.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].map(([type, count]) => `${type} (${count})`).sort();
}

/** API Gateway's ids are ten lower-case letters and digits. */
const shortId = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 10);
