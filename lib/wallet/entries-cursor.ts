import * as z from 'zod';
import { SemelError } from '../protocol/problems.ts';

/** Where a page ends. */
export interface Cursor {
  /** The last entry on it. */
  readonly uuid: string;
  /** The account's balance before that entry; absent as long as an older one may still be booked. */
  readonly balance?: number | undefined;
}

const Written = z.tuple([z.string().regex(/^[0-9a-f-]{36}$/), z.int().nullable()]);

/** A cursor as a caller sees it: opaque, and fit for a query. */
export const writeCursor = ({ uuid, balance = null }: { uuid: string; balance?: number | null | undefined }): string =>
  btoa(JSON.stringify([uuid, balance]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @throws SemelError `invalid-query` for what was not the `next` of a page */
export function readCursor(text: string | null): Cursor | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
    const written = Written.safeParse(value);
    if (written.success) return { uuid: written.data[0], balance: written.data[1] ?? undefined };
  } catch {
    // Not base64, not JSON or not a pair: refused below, like any text that was not a cursor.
  }
  throw new SemelError('invalid-query', 'after must be the next of an earlier page, unchanged.');
}
