export interface Room {
  /** The rooms it may import from, beside itself. */
  readonly rooms: readonly string[];
  /** The packages and Node modules it may import: whole specifiers, or patterns of them. */
  readonly packages: readonly (string | RegExp)[];
}

const AWS_SDK = /^@(aws-sdk|smithy)\//;
const NODE = /^node:/;
const POWERTOOLS = /^@aws-lambda-powertools\//;
const CDK = [/^aws-cdk-lib(\/|$)/, 'constructs', 'cdk-nag', NODE];

/** What the Lambda adapters have in common. */
const ADAPTER: Room = {
  rooms: ['engine', 'store', 'protocol', 'environment'],
  packages: [NODE, AWS_SDK, POWERTOOLS, /^@middy\//, 'aws-lambda', 'zod', 'uuid'],
};

/**
 * The rooms of the house and what each may import, type imports included. One direction only:
 * the protocol knows nobody, and everything may know the protocol.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, Room>> = {
  environment: { rooms: [], packages: [] },
  // Pure and browser-safe: neither AWS nor Node.
  protocol: { rooms: [], packages: ['canonicalize'] },
  client: { rooms: ['protocol'], packages: [] },
  sandbox: { rooms: ['client', 'protocol'], packages: [] },
  simulation: { rooms: ['protocol'], packages: [] },
  // Pure arithmetic; it asks the engine only how it spreads its index.
  capacity: { rooms: ['engine', 'protocol'], packages: [] },
  wallet: { rooms: ['protocol', 'environment'], packages: ['zod', 'uuid'] },
  store: { rooms: ['protocol', 'environment'], packages: [NODE, AWS_SDK] },
  engine: { rooms: ['store', 'protocol', 'environment'], packages: [NODE, POWERTOOLS, 'uuid'] },
  http: ADAPTER,
  queue: ADAPTER,
  schedule: ADAPTER,
  webhook: { ...ADAPTER, rooms: [...ADAPTER.rooms, 'http'] },
  // Stands in for a payment provider, so the wallet and it know each other only over HTTP.
  'sandbox-provider': { rooms: ['http', 'store', 'protocol'], packages: [NODE, AWS_SDK, 'zod'] },
  functions: {
    rooms: ['sandbox-provider', 'encryption', 'http', 'queue', 'schedule', 'webhook', 'wallet', ...ADAPTER.rooms],
    packages: [/^@middy\//, 'aws-lambda', 'zod'],
  },
  // Only who encrypts replies bundles it, so the engine knows a cipher as an interface of the protocol's.
  encryption: { rooms: ['protocol', 'environment'], packages: [NODE, /^@aws-crypto\//] },
  // Infrastructure imports no runtime code, or what runs in a Lambda would run at synth.
  constructs: { rooms: ['protocol', 'environment'], packages: CDK },
  stack: { rooms: ['constructs', 'protocol', 'environment'], packages: CDK },
  // The local cloud reads only the synthesized template and its assets, so what runs here is what deploys.
  local: { rooms: ['environment'], packages: [NODE, AWS_SDK, 'esbuild', 'fauxqs', 'aws-lambda'] },
  cli: {
    rooms: [
      'capacity',
      'local',
      'simulation',
      'engine',
      'http',
      'webhook',
      'wallet',
      'store',
      'protocol',
      'environment',
    ],
    packages: [NODE, AWS_SDK, 'standardwebhooks'],
  },
  testing: { rooms: ['http', 'protocol'], packages: [] },
  // What the package offers: names gathered, nothing of its own.
  exports: {
    rooms: [
      'client',
      'constructs',
      'encryption',
      'engine',
      'http',
      'local',
      'queue',
      'schedule',
      'testing',
      'webhook',
      ...ADAPTER.rooms,
    ],
    packages: [],
  },
  bin: { rooms: ['stack', 'cli'], packages: CDK },
};
