import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './setup-error.ts';
import type { Resource, StackModel } from './stack-model.ts';

/** A Lambda function of the stack and where its code lies. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  /** The file that exports the handler, and the export's name. */
  readonly file: string;
  readonly exportName: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly memoryMegabytes: number;
  /** The most environments at once; undefined where the stack reserves none. */
  readonly reservedConcurrency: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** What a function may have that changes how its code runs, and that this machine cannot give it. */
const NOT_UNDERSTOOD = ['FileSystemConfigs', 'ImageConfig', 'Layers', 'SnapStart', 'VpcConfig'];

/**
 * Reads the functions of a stack.
 * @throws SetupError for a runtime other than Node, code that is no bundled asset, or a property that cannot be honoured
 */
export const readFunctions = (stack: StackModel): FunctionDefinition[] =>
  stack.ofType('AWS::Lambda::Function').map((resource) => readFunction(resource, stack.assets));

function readFunction(resource: Resource, assets: ReadonlyMap<string, string>): FunctionDefinition {
  const { logicalId, identity, properties } = resource;
  const strange = NOT_UNDERSTOOD.filter((name) => properties[name] !== undefined);
  if (strange.length > 0) throw new SetupError(`${logicalId}: ${strange.join(', ')} of a function cannot be run here.`);
  if (!String(properties.Runtime).startsWith('nodejs')) {
    throw new SetupError(`${logicalId}: only Node functions are run here, not ${properties.Runtime}.`);
  }
  const { file, exportName } = locateHandler(resource, assets);
  return {
    name: identity.ref,
    arn: String(identity.attributes.Arn),
    roleArn: String(properties.Role),
    file,
    exportName,
    timeout: Number(properties.Timeout ?? 3) * 1000,
    memoryMegabytes: Number(properties.MemorySize ?? 128),
    reservedConcurrency: properties.ReservedConcurrentExecutions as number | undefined,
    environment: (properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables ?? {},
  };
}

function locateHandler({ logicalId, properties }: Resource, assets: ReadonlyMap<string, string>) {
  const key = (properties.Code as { S3Key?: string } | undefined)?.S3Key;
  const directory = key === undefined ? undefined : assets.get(key);
  if (directory === undefined) throw new SetupError(`${logicalId}: its code is not an asset of this assembly.`);
  const [, module = '', exportName = ''] = /^(.+)\.([^.]+)$/.exec(String(properties.Handler)) ?? [];
  const file = ['.mjs', '.js', '.cjs']
    .map((ending) => join(directory, module + ending))
    .find((path) => existsSync(path));
  if (file === undefined) {
    throw new SetupError(
      `${logicalId}: ${directory} has no file for the handler ${properties.Handler}. Was it bundled?`,
    );
  }
  return { file, exportName };
}
