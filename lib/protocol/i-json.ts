import { SemelError } from './problems.ts';

/** The top-level value is depth 1. */
const DEEPEST = 64;

const LONGEST_SHOWN_PATH = 200;

/** An object or array that the scan is inside of. */
interface Level {
  /** The member names met so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  /** The member or element that is being read; undefined before the first member's name. */
  current: string | number | undefined;
  /** Is the next string a name? */
  awaitsName: boolean;
}

/**
 * Parses a body and refuses what JSON.parse would change or drop without a word: two bodies that look alike after
 * parsing could otherwise share one fingerprint although their senders meant different things.
 *
 * JSON.parse decides what is JSON; one linear scan of the text then looks at what it hides.
 *
 * @rule R6
 * @throws SemelError `invalid-body` that names what is wrong and where (JSON Pointer)
 * @see https://www.rfc-editor.org/rfc/rfc7493
 * @example parseIJson('{"amount":500}') // { amount: 500 }
 */
export function parseIJson(text: string): unknown {
  const value = parse(text);
  const levels: Level[] = [];
  for (let at = 0; at < text.length; ) at = scanToken(text, at, levels);
  return value;
}

/**
 * Decodes a body's bytes; a byte order mark is kept, so that the parser can refuse it.
 *
 * @rule R6
 * @throws SemelError `invalid-body` for bytes that are not UTF-8, which would all decode to the same U+FFFD
 * @example decodeUtf8(Uint8Array.of(0xe2, 0x82, 0xac)) // '€'
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SemelError('invalid-body', 'The body is not valid UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  if (text === '') throw new SemelError('invalid-body', 'The body is empty: send one JSON value.');
  if (text.startsWith('\ufeff')) throw new SemelError('invalid-body', 'The body starts with a byte order mark.');
  if (!text.isWellFormed()) throw new SemelError('invalid-body', 'The body holds a lone surrogate.');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SemelError('invalid-body', `The body is not JSON: ${withoutExcerpt(error as SyntaxError)}.`);
  }
}

/** V8 quotes the text around some errors; a body has no place in logs. */
const withoutExcerpt = ({ message }: SyntaxError): string => message.replace(/, (?:\.\.\.)?".*/s, '');

/** Reads one token and returns where the next begins. The text is known to be JSON, so only its order matters. */
function scanToken(text: string, at: number, levels: Level[]): number {
  switch (text[at]) {
    case '{':
      return open(at, levels, { names: new Set(), current: undefined, awaitsName: true });
    case '[':
      return open(at, levels, { names: undefined, current: 0, awaitsName: false });
    case '}':
    case ']':
      levels.pop();
      return at + 1;
    case ',':
      return goToNext(at, levels);
    case '"':
      return scanString(text, at, levels);
    default:
      return isDigit(text.charCodeAt(at)) ? scanNumber(text, at, levels) : at + 1;
  }
}

function open(at: number, levels: Level[], level: Level): number {
  if (levels.length === DEEPEST) throw invalid(levels, `is nested more than ${DEEPEST} levels deep`);
  levels.push(level);
  return at + 1;
}

function goToNext(at: number, levels: readonly Level[]): number {
  const level = levels.at(-1);
  if (typeof level?.current === 'number') level.current += 1;
  else if (level !== undefined) level.awaitsName = true;
  return at + 1;
}

function scanString(text: string, at: number, levels: readonly Level[]): number {
  let end = at + 1;
  let escaped = false;
  for (; text[end] !== '"'; end += 1) {
    if (text[end] !== '\\') continue;
    escaped = true;
    end += 1;
  }
  const level = levels.at(-1);
  if (escaped || level?.awaitsName) {
    const content: string = escaped ? JSON.parse(text.slice(at, end + 1)) : text.slice(at + 1, end);
    if (level?.awaitsName) enterMember(content, level, levels);
    else if (!content.isWellFormed()) throw invalid(levels, 'holds a lone surrogate');
  }
  return end + 1;
}

/** Names are compared as they read, not as they are spelled: `"\u0061"` is `"a"`. */
function enterMember(name: string, level: Level, levels: readonly Level[]): void {
  if (!name.isWellFormed()) throw invalid(levels.slice(0, -1), 'has a member whose name holds a lone surrogate');
  level.current = name;
  level.awaitsName = false;
  if (level.names?.has(name)) throw invalid(levels, 'is a member that occurs twice');
  level.names?.add(name);
}

/** A sign in front was passed over: what is refused is refused on both sides of 0. */
function scanNumber(text: string, at: number, levels: readonly Level[]): number {
  let end = at + 1;
  while (continuesNumber(text.charCodeAt(end))) end += 1;
  const literal = text.slice(at, end);
  const value = Number(literal);
  if (value === Number.POSITIVE_INFINITY) throw invalid(levels, 'is a number too large for a double');
  if (value > Number.MAX_SAFE_INTEGER)
    throw invalid(levels, 'is a number beyond ±(2^53−1), where integers get mixed up');
  if (value === 0 && /^[^eE]*[1-9]/.test(literal)) throw invalid(levels, 'is a number so small that it becomes 0');
  return end;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Digits, `.`, the exponent's `e` or `E`, and its sign. */
const continuesNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d;

function invalid(levels: readonly Level[], what: string): SemelError {
  const path = levels.map(({ current }) => `/${String(current).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const shown = path.length > LONGEST_SHOWN_PATH ? `${path.slice(0, LONGEST_SHOWN_PATH).toWellFormed()}…` : path;
  return new SemelError('invalid-body', `The body's value ${shown === '' ? 'itself' : `at ${shown}`} ${what}.`);
}
