/** The part of DynamoDB's expression language that the code under test speaks; anything else is an error. */
type Item = Record<string, unknown>;

interface Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

const TOKEN = /\s*(<=|>=|<>|=|<|>|\(|\)|,|\+|-|[#:]?[A-Za-z_][\w.]*)/y;

/** Splits an expression once; the same few expressions are evaluated a million times. */
const tokenized = new Map<string, readonly string[]>();

function tokens(expression: string): readonly string[] {
  const known = tokenized.get(expression);
  if (known) return known;
  const found: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const match = TOKEN.exec(expression);
    if (!match?.[1]) throw new Error(`Not understood: ${expression}`);
    found.push(match[1]);
  }
  tokenized.set(expression, found);
  return found;
}

/** Reads tokens one after the other. */
class Reader {
  readonly #tokens: readonly string[];
  readonly #placeholders: Placeholders;
  readonly #item: Item;
  #at = 0;

  constructor(expression: string, placeholders: Placeholders, item: Item) {
    this.#tokens = tokens(expression);
    this.#placeholders = placeholders;
    this.#item = item;
  }

  get next(): string | undefined {
    return this.#tokens[this.#at];
  }

  take(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error('The expression ends early.');
    return token;
  }

  expect(token: string): void {
    const got = this.take();
    if (got.toUpperCase() !== token) throw new Error(`Expected ${token}, got ${got}.`);
  }

  is(keyword: string): boolean {
    return this.next?.toUpperCase() === keyword;
  }

  name(): string {
    const token = this.take();
    if (!token.startsWith('#')) return token;
    const name = this.#placeholders.names[token];
    if (name === undefined) throw new Error(`${token} is not defined.`);
    return name;
  }

  /** A path, a value or a function of them, with sums and differences. */
  operand(): unknown {
    let value = this.#single();
    while (this.next === '+' || this.next === '-') {
      const sign = this.take() === '+' ? 1 : -1;
      value = number(value) + sign * number(this.#single());
      // DynamoDB has 38 digits; a schedule that needs more than 16 of them is not what is explored here.
      if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a number that the model can add exactly.`);
    }
    return value;
  }

  #single(): unknown {
    if (this.next?.startsWith(':')) {
      const token = this.take();
      if (!(token in this.#placeholders.values)) throw new Error(`${token} is not defined.`);
      return this.#placeholders.values[token];
    }
    if (this.is('IF_NOT_EXISTS')) {
      this.take();
      this.expect('(');
      const present = this.#item[this.name()];
      this.expect(',');
      const otherwise = this.operand();
      this.expect(')');
      return present === undefined ? otherwise : present;
    }
    if (this.is('SIZE')) {
      this.take();
      this.expect('(');
      const sized = this.#item[this.name()];
      this.expect(')');
      return sized instanceof Set ? sized.size : undefined;
    }
    return this.#item[this.name()];
  }
}

/** Does the item (empty: there is none) meet the condition? */
export function meets(expression: string, placeholders: Placeholders, item: Item | undefined): boolean {
  const reader = new Reader(expression, placeholders, item ?? {});
  const result = readOr(reader, item);
  if (reader.next !== undefined) throw new Error(`Left over at ${reader.next}: ${expression}`);
  return result;
}

function readOr(reader: Reader, item: Item | undefined): boolean {
  let result = readAnd(reader, item);
  while (reader.is('OR')) {
    reader.take();
    const right = readAnd(reader, item);
    result = result || right;
  }
  return result;
}

function readAnd(reader: Reader, item: Item | undefined): boolean {
  let result = readTest(reader, item);
  while (reader.is('AND')) {
    reader.take();
    const right = readTest(reader, item);
    result = result && right;
  }
  return result;
}

function readTest(reader: Reader, item: Item | undefined): boolean {
  if (reader.is('NOT')) {
    reader.take();
    return !readTest(reader, item);
  }
  if (reader.next === '(') {
    reader.take();
    const inner = readOr(reader, item);
    reader.expect(')');
    return inner;
  }
  if (reader.is('ATTRIBUTE_NOT_EXISTS') || reader.is('ATTRIBUTE_EXISTS')) {
    const negated = reader.take().toUpperCase() === 'ATTRIBUTE_NOT_EXISTS';
    reader.expect('(');
    const name = reader.name();
    const present = item?.[name] !== undefined;
    reader.expect(')');
    return present !== negated;
  }
  const left = reader.operand();
  const comparator = reader.take();
  if (comparator.toUpperCase() === 'BETWEEN') {
    const least = reader.operand();
    reader.expect('AND');
    const most = reader.operand();
    return compare(left, '>=', least) && compare(left, '<=', most);
  }
  return compare(left, comparator, reader.operand());
}

function compare(left: unknown, comparator: string, right: unknown): boolean {
  if (left === undefined || right === undefined || typeof left !== typeof right) return comparator === '<>';
  const [a, b] = [left as number, right as number];
  switch (comparator) {
    case '=':
      return a === b;
    case '<>':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new Error(`${comparator} is not a comparator.`);
  }
}

/** The item after an update. Every operand sees the item as it was before. */
export function updated(expression: string, placeholders: Placeholders, before: Item): Item {
  const reader = new Reader(expression, placeholders, before);
  const after = { ...before };
  while (reader.next !== undefined) {
    const clause = reader.take().toUpperCase();
    do {
      if (reader.next === ',') reader.take();
      const name = reader.name();
      applyClause(clause, name, reader, after);
    } while (reader.next === ',');
  }
  return after;
}

function applyClause(clause: string, name: string, reader: Reader, after: Item): void {
  switch (clause) {
    case 'REMOVE':
      delete after[name];
      return;
    case 'SET':
      reader.expect('=');
      after[name] = reader.operand();
      return;
    case 'ADD':
      after[name] = added(after[name], reader.operand());
      return;
    case 'DELETE': {
      const taken = reader.operand() as Set<unknown>;
      const left = new Set([...((after[name] as Set<unknown> | undefined) ?? [])].filter((value) => !taken.has(value)));
      if (left.size > 0) after[name] = left;
      else delete after[name];
      return;
    }
    default:
      throw new Error(`${clause} is not understood.`);
  }
}

/** ADD makes what is not there: a number from 0, a set from none. */
function added(before: unknown, value: unknown): unknown {
  if (value instanceof Set) return new Set([...((before as Set<unknown> | undefined) ?? []), ...value]);
  return number(before ?? 0) + number(value);
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new ValidationProblem('An operand of + or - is not a number.');
  return value;
}

/** What DynamoDB answers with a ValidationException. */
export class ValidationProblem extends Error {}
