import { SemelError } from './problems.ts';

/**
 * Copies a value into plain JSON, or refuses it: what `JSON.stringify` would change without a word (NaN to null, a Map
 * to {}, a function to nothing) would be a reply that nobody wrote.
 *
 * `undefined` members are dropped, dates become ISO text, and objects with a `toJSON` speak for themselves.
 *
 * @rule R20
 * @throws SemelError `internal-error` that names the place and the fix
 * @example plainJson({ at: new Date(0), note: undefined }) // { at: '1970-01-01T00:00:00.000Z' }
 */
export function plainJson(value: unknown): unknown {
  return copy(value, { path: 'body', key: '', ancestors: [] });
}

interface Place {
  readonly path: string;
  /** What `toJSON` is called with, as JSON.stringify does. */
  readonly key: string;
  /** The objects around this one: meeting one of them again is a cycle, meeting any other object again is not. */
  readonly ancestors: readonly object[];
}

function copy(value: unknown, place: Place): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : refuse(place, `is ${value}`, 'send null, or leave it out');
    case 'object':
      return value === null ? null : copyObject(value, place);
    case 'bigint':
      return refuse(place, 'is a BigInt', 'send its decimal text');
    default:
      return refuse(place, `is a ${typeof value}`, 'leave it out');
  }
}

function copyObject(value: object, place: Place): unknown {
  if (place.ancestors.includes(value)) return refuse(place, 'contains itself', 'send an id instead');
  const inside = { ...place, ancestors: [...place.ancestors, value] };
  if (value instanceof Date) return isoText(value, place);
  if (hasToJson(value)) return copy(value.toJSON(place.key), inside);
  if (Array.isArray(value)) return Array.from(value, (element, index) => copyElement(element, index, inside));
  if (isPlain(value)) return copyMembers(value, inside);
  return refuse(
    place,
    `is a ${value.constructor?.name ?? 'class instance'}`,
    'give it a toJSON() or send a plain object',
  );
}

function isoText(date: Date, place: Place): string {
  return Number.isNaN(date.getTime()) ? refuse(place, 'is an invalid Date', 'send a valid one') : date.toISOString();
}

function copyElement(element: unknown, index: number, { path, ancestors }: Place): unknown {
  const place = { path: `${path}[${index}]`, key: String(index), ancestors };
  return element === undefined
    ? refuse(place, 'is undefined', 'send null, or leave the element out')
    : copy(element, place);
}

/** `fromEntries` defines members: even one named `__proto__` stays an ordinary one. */
function copyMembers(value: object, { path, ancestors }: Place): unknown {
  const members = Object.entries(value).map(([key, member]) => [
    key,
    copy(member, { path: `${path}.${key}`, key, ancestors }),
  ]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Plain objects of another realm count too: their prototype is the end of a chain as well. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const hasToJson = (value: object): value is { toJSON(key: string): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

function refuse({ path }: Place, what: string, fix: string): never {
  throw new SemelError('internal-error', `The reply cannot be written as JSON: ${path} ${what}; ${fix}.`);
}
