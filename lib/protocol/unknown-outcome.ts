import { SemelError } from './problems.ts';

/**
 * Why an outcome is not known, in words that are kept with the operation and shown to the person who looks into it: so
 * they quote nothing of the request, and nothing of what was answered. Any other error is kept by its name alone.
 *
 * @example return unknown(new UnknownOutcome(`The provider answered ${status}.`));
 */
export class UnknownOutcome extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(why, options);
    this.name = 'UnknownOutcome';
  }
}

const LONGEST = 200;
/** What a name or a code of an error looks like: no text that could quote something. */
const PLAIN_NAME = /^[A-Za-z][\w.]{0,59}$/;

/**
 * Tells why an outcome is not known, in one short line that quotes nobody: an error's message may hold what was sent,
 * so only those of our own errors are repeated.
 *
 * @rule R38
 * @example tellCause(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })) // 'TypeError (ECONNREFUSED)'
 */
export function tellCause(cause: unknown): string {
  if (cause instanceof UnknownOutcome) return shorten(cause.message);
  if (cause instanceof SemelError) return shorten(`${cause.code}: ${cause.message}`);
  if (!(cause instanceof Error) || !PLAIN_NAME.test(cause.name)) return 'an error';
  const code = codeOf(cause) ?? codeOf(cause.cause);
  return code === undefined ? cause.name : `${cause.name} (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Object && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && PLAIN_NAME.test(code) ? code : undefined;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
