import type { Identity } from './identities.ts';
import { SetupError } from './setup-error.ts';
import type { Template } from './template.ts';

/** Turns a value of a template into the value it has on this machine. */
export type Resolve = (value: unknown) => unknown;

interface Surroundings {
  readonly template: Template;
  /** Names and attributes of the resources, by logical id. */
  readonly identities: ReadonlyMap<string, Identity>;
  /** The values of `AWS::Region` and its kin. */
  readonly pseudo: Readonly<Record<string, string>>;
}

/** What `AWS::NoValue` resolves to: the property or list item that holds it is left out. */
const NO_VALUE = Symbol('AWS::NoValue');

/**
 * Makes a resolver for the intrinsic functions of one template.
 * Whatever it does not know is an error, since a value that was guessed would run a different system from what deploys.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 * @throws SetupError from the resolver, for an unknown function, resource, attribute, parameter or mapping
 */
export function createResolver(surroundings: Surroundings): Resolve {
  const resolve: Resolve = (value) => {
    if (Array.isArray(value)) return value.map(resolve).filter((item) => item !== NO_VALUE);
    if (typeof value !== 'object' || value === null) return value;
    const [name, argument, ...others] = Object.entries(value).flat() as [string?, unknown?, ...unknown[]];
    if (name === undefined || others.length > 0 || !isIntrinsic(name, argument)) return resolveObject(value, resolve);
    const run = INTRINSICS[name];
    if (run === undefined) throw new SetupError(`${name} is not understood here: ${JSON.stringify(value)}`);
    return run(argument, surroundings, resolve);
  };
  return resolve;
}

/** Is the resource or output made at all, by the condition it names? */
export function holds(condition: string | undefined, surroundings: { template: Template }, resolve: Resolve): boolean {
  if (condition === undefined) return true;
  const expression = surroundings.template.Conditions?.[condition];
  if (expression === undefined) throw new SetupError(`The template names an unknown condition: ${condition}`);
  return resolve(expression) === true;
}

/** A statement's `Condition` member is an object; the intrinsic of that name takes the name of a condition. */
const isIntrinsic = (name: string, argument: unknown): boolean =>
  name === 'Ref' || name.startsWith('Fn::') || (name === 'Condition' && typeof argument === 'string');

function resolveObject(value: object, resolve: Resolve): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, member]) => [name, resolve(member)] as const);
  return Object.fromEntries(entries.filter(([, member]) => member !== NO_VALUE));
}

type Intrinsic = (argument: unknown, surroundings: Surroundings, resolve: Resolve) => unknown;

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, surroundings) => reference(String(name), surroundings),
  Condition: (name, surroundings, resolve) => holds(String(name), surroundings, resolve),
  'Fn::GetAtt': (path, surroundings) => attribute(path, surroundings),
  'Fn::Join': (argument, _, resolve) => {
    const [separator, parts] = argument as [string, unknown];
    return (resolve(parts) as unknown[]).join(separator);
  },
  'Fn::Split': (argument, _, resolve) => {
    const [separator, text] = argument as [string, unknown];
    return String(resolve(text)).split(separator);
  },
  'Fn::Select': (argument, _, resolve) => {
    const [index, list] = argument as [unknown, unknown];
    return (resolve(list) as unknown[])[Number(resolve(index))];
  },
  'Fn::Sub': substitute,
  'Fn::If': (argument, surroundings, resolve) => {
    const [condition, then, otherwise] = argument as [string, unknown, unknown];
    return resolve(holds(condition, surroundings, resolve) ? then : otherwise);
  },
  'Fn::Equals': (argument, _, resolve) => {
    const [left, right] = resolve(argument) as [unknown, unknown];
    return String(left) === String(right);
  },
  'Fn::Not': (argument, _, resolve) => (resolve(argument) as [boolean])[0] !== true,
  'Fn::And': (argument, _, resolve) => (resolve(argument) as boolean[]).every((part) => part === true),
  'Fn::Or': (argument, _, resolve) => (resolve(argument) as boolean[]).some((part) => part === true),
  'Fn::FindInMap': findInMap,
};

function reference(name: string, { template, identities, pseudo }: Surroundings): unknown {
  if (name === 'AWS::NoValue') return NO_VALUE;
  const known = pseudo[name] ?? identities.get(name)?.ref;
  if (known !== undefined) return known;
  const parameter = template.Parameters?.[name];
  if (parameter === undefined) throw new SetupError(`Ref names nothing that is known here: ${name}`);
  if (parameter.Default === undefined || parameter.Type.startsWith('AWS::SSM::')) {
    throw new SetupError(`The parameter ${name} has no value here: only plain defaults are understood.`);
  }
  return parameter.Default;
}

function attribute(path: unknown, { identities }: Surroundings): string {
  const [name, ...rest] = Array.isArray(path) ? path.map(String) : String(path).split('.');
  const attributeName = rest.join('.');
  const value = identities.get(name ?? '')?.attributes[attributeName];
  if (value === undefined)
    throw new SetupError(`Fn::GetAtt names nothing that is known here: ${name}.${attributeName}`);
  return value;
}

function substitute(argument: unknown, surroundings: Surroundings, resolve: Resolve): string {
  const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
  return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    if (Object.hasOwn(variables, name)) return String(resolve(variables[name]));
    return String(name.includes('.') ? attribute(name, surroundings) : reference(name, surroundings));
  });
}

function findInMap(argument: unknown, { template }: Surroundings, resolve: Resolve): unknown {
  const keys = (resolve(argument) as unknown[]).map(String);
  let found: unknown = template.Mappings;
  for (const key of keys) found = (found as Record<string, unknown> | undefined)?.[key];
  if (found === undefined) throw new SetupError(`Fn::FindInMap finds nothing at ${keys.join('.')}`);
  return found;
}
