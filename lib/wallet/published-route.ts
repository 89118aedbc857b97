import type * as z from 'zod';
import type { ProblemCode } from '../protocol/problems.ts';

/** A route as it is published. */
export interface PublishedRoute {
  readonly route: string;
  readonly summary: string;
  /** Absent where a key is ignored. */
  readonly keyed?: {
    readonly operation: string;
    readonly mode: 'atomic' | 'leased';
    readonly body: z.ZodType;
    readonly retention: number;
  };
  /** The body of a route without a key. */
  readonly body?: z.ZodType;
  readonly query?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  /** Header by header, beside those of keys. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly required?: true }>>;
  readonly open?: true;
  readonly status: number;
  /** The status of a repetition, where it is another one. */
  readonly repeatedStatus?: number;
  /** Absent where the answer has no body. */
  readonly answer?: z.ZodType;
  readonly problems: readonly ProblemCode[];
}
