import type { DynamoDbRequest } from './dynamodb-request.ts';

/** One request of a function to AWS, as `GET /_local/calls` shows it. */
export interface RecordedCall {
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  readonly function: string;
  /** The invocation's request id (`awsRequestId`); null for a call between invocations. */
  readonly invocation: string | null;
  /** The id of the client's HTTP request, which its answer carries as `apigw-requestid`. */
  readonly request: string | null;
  /** The operation that the invocation answered, or that the call itself names when there was no answer. */
  readonly operation: string | null;
  /** Its number within the client's HTTP request, from 1; 0 between invocations. */
  readonly call: number;
  /** @example 'dynamodb:TransactWriteItems' */
  readonly action: string;
  /** What it had to be allowed, item by item. @example ['dynamodb:PutItem arn:aws:dynamodb:…:table/t'] */
  readonly permissions: readonly string[];
  readonly tables: readonly string[];
  /** The queue that a request to SQS names; null for the others. */
  readonly queue: string | null;
  /** How many items it named or, for Query and Scan, returned; null when unknown. */
  readonly items: number | null;
  /** What AWS would bill for it, indexes aside, computed from item sizes; null where it neither reads nor writes. */
  readonly writeUnits: number | null;
  readonly readUnits: number | null;
  /** The HTTP status that the function got; 0 when it got none. */
  readonly status: number;
  /** The exception's name, for a status over 299. */
  readonly error: string | null;
  readonly fault: string | null;
  /** Milliseconds, injected delays included. */
  readonly duration: number;
}

/** A call that is kept, with the request itself where its write units depend on items that it only names. */
export interface KeptCall {
  readonly call: RecordedCall;
  readonly unsized: DynamoDbRequest | undefined;
}

/** Enough for a benchmark's run, few enough to forget about memory. */
const KEPT = 50_000;

/** Keeps the most recent calls, and which operation each invocation turned out to answer. */
export class CallLog {
  #calls: KeptCall[] = [];
  readonly #operations = new Map<string, string>();

  add(kept: KeptCall): void {
    this.#calls.push(kept);
    if (this.#calls.length > 2 * KEPT) this.#calls = this.#calls.slice(-KEPT);
  }

  /** Remembers which operation an invocation answered: its reply's `Operation-Id`. */
  answered(invocation: string, operation: string): void {
    this.#operations.set(invocation, operation);
    if (this.#operations.size > KEPT) this.#operations.delete(this.#operations.keys().next().value ?? '');
  }

  /** The calls in order of arrival, narrowed to one operation, HTTP request or function. */
  find(wanted: { operation?: string | null; request?: string | null; function?: string | null }): KeptCall[] {
    const settled = this.#settledOperations();
    return this.#calls
      .map(({ call, unsized }) => ({
        call: { ...call, operation: settled.get(call.invocation ?? '') ?? call.operation },
        unsized,
      }))
      .filter(({ call }) => wanted.operation == null || call.operation === wanted.operation)
      .filter(({ call }) => wanted.request == null || call.request === wanted.request)
      .filter(({ call }) => wanted.function == null || call.function === wanted.function)
      .sort((left, right) => left.call.at - right.call.at || left.call.call - right.call.call);
  }

  clear(): void {
    this.#calls = [];
    this.#operations.clear();
  }

  /** An invocation without an answer, as after a crash, is known by the record that it tried to put. */
  #settledOperations(): Map<string, string> {
    const operations = new Map<string, string>();
    for (const { call } of this.#calls) {
      const { invocation, operation } = call;
      if (invocation !== null && operation !== null && !operations.has(invocation))
        operations.set(invocation, operation);
    }
    for (const [invocation, operation] of this.#operations) operations.set(invocation, operation);
    return operations;
  }
}
