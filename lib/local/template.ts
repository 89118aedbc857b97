import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SetupError } from './setup-error.ts';

/** What a template says about one resource. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

/** The parts of a CloudFormation template that are run here. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, unknown>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: unknown }>>;
}

/** One synthesized stack and where its assets lie on this machine. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** From the S3 key that the template names to the directory or file on disk. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Artifact {
  readonly type: string;
  readonly displayName?: string;
  readonly properties?: { readonly templateFile?: string; readonly file?: string; readonly stackName?: string };
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path?: string };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
}

/**
 * Reads what `cdk synth` left in a directory.
 * @throws SetupError when there is none, or when it holds other than exactly one stack
 */
export function readAssembly(directory: string): Assembly {
  const artifacts = Object.entries(
    readJson<{ artifacts?: Record<string, Artifact> }>(directory, 'manifest.json').artifacts ?? {},
  );
  const stacks = artifacts.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  if (stack === undefined || stacks.length > 1) {
    throw new SetupError(`${directory} holds ${stacks.length} stacks; the local cloud runs exactly one.`);
  }
  const [stackName, { properties }] = stack;
  const assets = new Map<string, string>();
  for (const [, artifact] of artifacts) {
    const file = artifact.type === 'cdk:asset-manifest' ? artifact.properties?.file : undefined;
    if (file !== undefined) addAssets(assets, directory, readJson<AssetManifest>(directory, file));
  }
  return {
    stackName: properties?.stackName ?? stackName,
    template: readJson<Template>(directory, properties?.templateFile ?? `${stackName}.template.json`),
    assets,
  };
}

function addAssets(assets: Map<string, string>, directory: string, manifest: AssetManifest): void {
  for (const { source, destinations } of Object.values(manifest.files ?? {})) {
    if (source.path === undefined) continue;
    for (const { objectKey } of Object.values(destinations)) assets.set(objectKey, resolve(directory, source.path));
  }
}

function readJson<T>(directory: string, file: string): T {
  try {
    return JSON.parse(readFileSync(join(directory, file), 'utf8')) as T;
  } catch (cause) {
    throw new SetupError(`${join(directory, file)} cannot be read. Run npm run synth first.`, { cause });
  }
}
