import { SetupError } from './setup-error.ts';

/** Does a record go to the function? */
export type EventFilter = (record: unknown) => boolean;

/** One value of a record; undefined where it is absent. */
type Test = (value: unknown) => boolean;
type Comparison = (operand: unknown) => Test;

/**
 * Reads a mapping's FilterCriteria: a record passes when it matches one of the patterns, or when there are none.
 * @throws SetupError for a comparison that is not known, which would let other records pass here than in AWS
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 * @example
 * const passes = readFilter('Relay', { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] });
 * passes({ eventName: 'REMOVE' }); // false
 */
export function readFilter(name: string, criteria: unknown): EventFilter {
  const { Filters: filters = [] } = (criteria ?? {}) as { Filters?: readonly { readonly Pattern: string }[] };
  const patterns = filters.map(({ Pattern }) => readPattern(name, JSON.parse(Pattern)));
  return (record) => patterns.length === 0 || patterns.some((matches) => matches(record));
}

function readPattern(name: string, pattern: unknown): Test {
  if (Array.isArray(pattern)) return anyOf(pattern.map((rule) => readRule(name, rule)));
  const members = Object.entries(pattern as object).map(([member, inner]): Test => {
    if (member === '$or') return anyOf((inner as unknown[]).map((alternative) => readPattern(name, alternative)));
    const matches = readPattern(name, inner);
    return (value) => matches(memberOf(value, member));
  });
  return (value) => members.every((matches) => matches(value));
}

/** A message's body is text that may hold JSON: a pattern that looks inside it sees no member in any other text. */
function memberOf(value: unknown, member: string): unknown {
  const holder = typeof value === 'string' ? parsed(value) : value;
  const members = Object(holder) as Record<string, unknown>;
  return Object.hasOwn(members, member) ? members[member] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const anyOf =
  (tests: readonly Test[]): Test =>
  (value) =>
    tests.some((matches) => matches(value));

function readRule(name: string, rule: unknown): Test {
  if (typeof rule !== 'object' || rule === null) return (value) => value === rule;
  const [entry, ...others] = Object.entries(rule);
  const [comparison, operand] = entry ?? [];
  const compare = COMPARISONS[comparison ?? ''];
  if (compare === undefined || others.length > 0) {
    throw new SetupError(`${name}: the filter rule ${JSON.stringify(rule)} is not understood here.`);
  }
  return compare(operand);
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  prefix: (start) => (value) => typeof value === 'string' && value.startsWith(String(start)),
  suffix: (end) => (value) => typeof value === 'string' && value.endsWith(String(end)),
  'equals-ignore-case': (text) => (value) =>
    typeof value === 'string' && value.toLowerCase() === String(text).toLowerCase(),
  exists: (wanted) => (value) => (value !== undefined) === wanted,
  'anything-but': (unwanted) => (value) => value !== undefined && ![unwanted].flat().includes(value),
  numeric: (conditions) => {
    const tests = conditionsOf(conditions as readonly (string | number)[]);
    return (value) => typeof value === 'number' && tests.every((holds) => holds(value));
  },
};

const RELATIONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** @example conditionsOf(['>', 0, '<=', 5]) // two tests */
function conditionsOf(conditions: readonly (string | number)[]): ((value: number) => boolean)[] {
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < conditions.length; index += 2) {
    const relation = RELATIONS[String(conditions[index])];
    if (relation === undefined) throw new SetupError(`The numeric filter ${conditions} is not understood here.`);
    tests.push((value) => relation(value, Number(conditions[index + 1])));
  }
  return tests;
}
