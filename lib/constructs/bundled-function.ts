import { type Duration, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../environment.ts';
import { METRICS } from '../protocol/counters.ts';

/** How a function is built and logged; shared by everything that runs a handler. */
export interface BundledFunctionProps {
  /** The path of the file that exports `handler`. */
  readonly entry: string;
  /** How long one invocation may take. */
  readonly timeout: Duration;
  /**
   * Memory in MB. CPU grows with it, and a cold start (import, TLS to DynamoDB) is all CPU: with half of the default
   * the first reply takes about twice as long, while a warm call, which mostly waits, costs little either way.
   * @default 1024
   */
  readonly memorySize?: number;
  /** The service's name in logs and metrics. @default 'semel' */
  readonly serviceName?: string;
  /** How long logs are kept. @default RetentionDays.THREE_MONTHS */
  readonly logRetention?: RetentionDays;
  /**
   * Sends traces of invocations to X-Ray. The context `semel:tracing` switches it for a whole stack.
   * @default what the context says, else false: each trace costs, and logs carry the correlation id
   */
  readonly tracing?: boolean;
  /** More environment variables. @default none */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * One ESM file with the SDK inside: what was tested is what runs, whatever SDK the runtime brings, and a cold start
 * reads one file. The ESM entry points of dependencies shake better than their CommonJS ones.
 */
const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  minify: true,
  sourceMap: true,
  sourcesContent: false,
  externalModules: [],
  mainFields: ['module', 'main'],
  logLevel: LogLevel.WARNING,
  esbuildArgs: { '--conditions': 'module' },
  // Dependencies that are CommonJS call require(), which an ESM file lacks; a name that no bundled code also imports.
  banner: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
};

const X_RAY = 'Traces belong to no resource: X-Ray knows no narrower permission to send them.';

/** The context that switches tracing for everything below the construct where it is set. */
export const TRACING_CONTEXT = 'semel:tracing';

/** A Lambda function on Node 24 (arm64) with its own log group and a role that may write to that and nothing else. */
export class BundledFunction extends Construct {
  readonly function: NodejsFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: BundledFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', { retention: props.logRetention ?? RetentionDays.THREE_MONTHS });
    // A role of our own: the default one carries a managed policy that may write to every log group of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(role);
    const tracing = props.tracing ?? String(this.node.tryGetContext(TRACING_CONTEXT)) === 'true';
    if (tracing)
      Validations.of(this).acknowledge({ id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]', reason: X_RAY });
    this.function = new NodejsFunction(this, 'Function', {
      entry: props.entry,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memorySize ?? 1_024,
      timeout: props.timeout,
      role,
      logGroup: this.logGroup,
      ...(tracing && { tracing: Tracing.ACTIVE }),
      bundling: BUNDLING,
      environment: {
        [ENVIRONMENT.serviceName]: props.serviceName ?? 'semel',
        POWERTOOLS_METRICS_NAMESPACE: METRICS.namespace,
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
      },
    });
  }
}
