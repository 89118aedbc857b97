import { type Identity, identify, type Place } from './identities.ts';
import { createResolver, holds, type Resolve } from './intrinsics.ts';
import { SetupError } from './setup-error.ts';
import type { Assembly } from './template.ts';

/** A resource with its intrinsic functions resolved. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly identity: Identity;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The stack as it stands on this machine: every resource with its name and its resolved properties. */
export interface StackModel {
  readonly place: Place;
  readonly assets: ReadonlyMap<string, string>;
  /** The resources of these types, in the template's order. */
  ofType(...types: readonly string[]): Resource[];
}

/**
 * Resolves a whole template at once, so that whatever cannot be run is known before anything starts.
 * @throws SetupError for unknown types, intrinsic functions and references
 */
export function modelStack(assembly: Assembly, place: Place): StackModel {
  const { template, assets } = assembly;
  const identities = identify(template, place);
  const pseudo = {
    'AWS::AccountId': place.account,
    'AWS::Partition': 'aws',
    'AWS::Region': place.region,
    'AWS::StackId': `arn:aws:cloudformation:${place.region}:${place.account}:stack/${place.stackName}/local`,
    'AWS::StackName': place.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const resolve = createResolver({ template, identities, pseudo });
  const resources = Object.entries(template.Resources)
    .filter(([, resource]) => holds(resource.Condition, { template }, resolve))
    .map(([logicalId, { Type: type, Properties: properties }]) => ({
      logicalId,
      type,
      identity: identities.get(logicalId) ?? { ref: logicalId, attributes: {} },
      properties: resolveIn(logicalId, properties ?? {}, resolve),
    }));
  return { place, assets, ofType: (...types) => resources.filter(({ type }) => types.includes(type)) };
}

function resolveIn(logicalId: string, properties: object, resolve: Resolve): Readonly<Record<string, unknown>> {
  try {
    return resolve(properties) as Record<string, unknown>;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SetupError(`${logicalId}: ${message}`, { cause });
  }
}
