import { type Milliseconds, milliseconds } from './time.ts';

/** What a client prefers to happen to a duplicate whose first request is still running. */
export interface Preference {
  /** How many whole seconds the client would wait for the reply; absent for none. */
  readonly wait?: number;
  /** Would the client rather have a 202 and look for the reply later? */
  readonly respondAsync: boolean;
}

/** The longest wait: API Gateway gives up at 30 s, and the first request started earlier. */
const LONGEST_WAIT = 15_000;
/** What is left for the answer itself when a wait ends. */
const ANSWER_ALLOWANCE = 2_000;

/**
 * Reads the `Prefer` header. A preference is a wish: what is unknown or malformed is ignored, and the first of two wins.
 *
 * @rule R18
 * @param values every occurrence of the header, as received
 * @see https://www.rfc-editor.org/rfc/rfc7240#section-2
 * @example parsePrefer(['respond-async, wait=10']) // { wait: 10, respondAsync: true }
 */
export function parsePrefer(values: readonly string[]): Preference {
  const preferences = new Map<string, string>();
  for (const text of splitUnquoted(values.join(','), ',')) {
    const [name, value] = readPreference(text);
    if (!preferences.has(name)) preferences.set(name, value);
  }
  const wait = readSeconds(preferences.get('wait') ?? '');
  const respondAsync = preferences.get('respond-async') === '';
  return wait === undefined ? { respondAsync } : { wait, respondAsync };
}

/**
 * How long a duplicate may wait: what the client asked for, at most 15 s, and never into the function's last 2 s.
 *
 * @rule R18
 * @param wait in seconds, as `parsePrefer` read it
 * @param remaining the function's remaining time
 * @example waitBudget(60, milliseconds(20_000)) // 15000
 */
export function waitBudget(wait: number | undefined, remaining: Milliseconds): Milliseconds {
  return milliseconds(Math.max(0, Math.min((wait ?? 0) * 1_000, LONGEST_WAIT, remaining - ANSWER_ALLOWANCE)));
}

/** The wait that is honoured, as `Preference-Applied` says it. @example appliedWait(60) // 'wait=15' */
export const appliedWait = (wait: number | undefined): string => `wait=${Math.min(wait ?? 0, LONGEST_WAIT / 1_000)}`;

/** Reads a preference up to its first parameter. Plain string calls: a pattern would go back and forth over long blanks. */
function readPreference(text: string): [name: string, value: string] {
  const [preference = ''] = splitUnquoted(text, ';');
  const [name = '', ...value] = preference.split('=');
  return [name.trim().toLowerCase(), unquote(value.join('=').trim())];
}

const unquote = (text: string): string => text.replace(/^"(.*)"$/s, '$1');

/** No time to wait is no wish to wait. */
function readSeconds(digits: string): number | undefined {
  if (!/^\d+$/.test(digits)) return undefined;
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER) || undefined;
}

/** Splits at a separator that stands outside quoted strings. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') at += 1;
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
