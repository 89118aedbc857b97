import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { Store } from '../../lib/store/store.ts';

/** A call on its way to DynamoDB. */
interface Call {
  // biome-ignore lint/suspicious/noExplicitAny: each command has a type of its own
  readonly command: any;
  /** @example 'TransactWriteCommand' */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command has an input of its own shape
  readonly input: any;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Lets it through. */
  readonly send: () => Promise<unknown>;
}

type CallMade = Pick<Call, 'name' | 'input'>;

/** What happens to a call instead of, before or after its being sent. */
export type Meddling = (call: Call) => Promise<unknown>;

export interface MeddledStore extends Store {
  /** What was sent, in order, meddled with or not. */
  readonly calls: readonly CallMade[];
  /** What happens to the next calls; those after them go through. */
  meddle(...next: readonly Meddling[]): void;
  /** Lets all calls through again. */
  calm(): void;
}

/** The store with somebody between it and DynamoDB. */
export function meddledStore(store: Store): MeddledStore {
  const calls: CallMade[] = [];
  const next: Meddling[] = [];
  const client = new Proxy(store.client, {
    get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
  });
  // biome-ignore lint/suspicious/noExplicitAny: send is overloaded for each command
  function send(command: any, options: any): Promise<unknown> {
    const call = { name: command.constructor.name, input: command.input };
    calls.push({ ...call, input: structuredClone(call.input) });
    const meddling = next.shift() ?? passOn;
    return meddling({
      ...call,
      command,
      signal: options?.abortSignal,
      send: () => store.client.send(command, options) as Promise<unknown>,
    });
  }
  return { ...store, client, calls, meddle: (...more) => void next.push(...more), calm: () => void next.splice(0) };
}

export const passOn: Meddling = ({ send }) => send();

/** The work is done, but the answer never arrives. */
export const loseResponse: Meddling = async ({ send }) => {
  await send().catch(() => undefined);
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

/** Held back until it is let go, while others go on: what a frozen environment does. */
export function holdBack(): {
  readonly meddling: Meddling;
  readonly reached: Promise<void>;
  readonly letGo: () => void;
} {
  const [reached, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const meddling: Meddling = async ({ send }) => {
    reached.resolve();
    await letGo.promise;
    return send();
  };
  return { meddling, reached: reached.promise, letGo: letGo.resolve };
}

/** A replica that lags behind: whoever does not ask for a consistent read finds nothing. */
export const lag: Meddling = ({ name, input, send }) =>
  name === 'GetCommand' && input.ConsistentRead !== true ? Promise.resolve({}) : send();

/** A transaction whose other items are visible already, but not this one: only a read transaction waits for it. */
export const missPlainly: Meddling = ({ name, send }) => (name === 'GetCommand' ? Promise.resolve({}) : send());

/** Not even sent. */
export const reset: Meddling = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
};

/** Never answered; only the caller's own signal ends it. */
export const hang: Meddling = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** What DynamoDB answers instead, by its exception's name. */
export const failWith =
  (name: string): Meddling =>
  async () => {
    throw Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } });
  };

/** A transaction that is cancelled for these reasons, the record's first. */
export const cancelWith =
  (...reasons: readonly (string | CancellationReason)[]): Meddling =>
  async () => {
    const CancellationReasons = reasons.map((reason) => (typeof reason === 'string' ? { Code: reason } : reason));
    const $metadata = { httpStatusCode: 400 };
    throw new TransactionCanceledException({ message: 'Transaction cancelled', CancellationReasons, $metadata });
  };
