import { SemelError } from './problems.ts';

const LONGEST_KEY = 255;

/** RFC 9651 §4.2.5: printable ASCII, in which only `"` and `\` are written with a backslash. */
const QUOTED = /^[ \t]*"((?:[ !#-[\]-~]|\\["\\])*)"[ \t]*$/;

/** Visible ASCII without the characters that mean something in a structured field: `"` `,` `;` `\`. */
const BARE = /^[ \t]*([!#-+\--:<-[\]-~]+)[ \t]*$/;

/**
 * Reads the `Idempotency-Key`: an RFC 9651 string, or the same text bare.
 *
 * The parser is our own because keys that start with a digit (every other UUID) are no structured-field token.
 * Outer whitespace is space and tab only: a line break inside a header is never forgiven.
 *
 * @rule R1
 * @rule R2
 * @param values every occurrence of the header, as received; empty when it was not sent
 * @throws SemelError `idempotency-key-missing`, `idempotency-key-invalid`
 * @see https://www.rfc-editor.org/rfc/rfc9651#name-parsing-a-string
 * @example parseIdempotencyKey(['"a, b"']) // 'a, b'
 */
export function parseIdempotencyKey(values: readonly string[]): string {
  const [value, ...others] = values;
  if (value === undefined) {
    throw new SemelError('idempotency-key-missing', 'Send an Idempotency-Key header: one new value per intent.');
  }
  if (others.length > 0) throw invalid('it was sent more than once');
  const key = BARE.exec(value)?.[1] ?? unescaped(QUOTED.exec(value)?.[1]);
  if (key === undefined) throw invalid('it is neither one quoted string nor one bare word');
  if (key === '') throw invalid('it is empty');
  if (key.length > LONGEST_KEY) throw invalid(`it has ${key.length} characters`);
  return key;
}

const unescaped = (quoted: string | undefined): string | undefined => quoted?.replace(/\\(.)/g, '$1');

const invalid = (what: string): SemelError =>
  new SemelError(
    'idempotency-key-invalid',
    `The Idempotency-Key cannot be used: ${what}. Send 1 to ${LONGEST_KEY} printable ASCII characters, as "text" or bare.`,
  );
