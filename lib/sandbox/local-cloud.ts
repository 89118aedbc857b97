/** What the local cloud tells about itself, as far as the page shows it. */
export interface CloudState {
  readonly records: readonly {
    readonly operationId: string;
    readonly operation: string;
    readonly status: 'in_progress' | 'completed' | 'needs_attention';
    readonly attempt: number;
    readonly firstSeenAt: number;
    readonly leaseUntil?: number;
    readonly reply?: { readonly status: number };
  }[];
  readonly entries: readonly {
    readonly kind: string;
    readonly amount: number;
    readonly operation: string;
    readonly createdAt: number;
  }[];
  readonly providerCharges: readonly {
    readonly id: string;
    readonly reference: string;
    readonly amount: number;
    readonly status: string;
  }[];
  readonly queues: readonly { readonly name: string; readonly visible: number; readonly inFlight: number }[];
  readonly deadLetters: readonly { readonly queue: string; readonly eventId: string; readonly reason: string }[];
}

/** The local cloud did not do what it was asked for: it said so with this status, or did not answer. */
export class CloudError extends Error {
  readonly status: number | undefined;

  constructor(status: number | undefined, cause?: unknown) {
    super(`status ${status ?? 'none'}`, { cause });
    this.status = status;
  }
}

/** A cloud that does not answer in this time, in milliseconds, is taken for stopped. */
const PATIENCE = 30_000;
/** The same for what is only looked at, and will be again. */
const LOOK_PATIENCE = 5_000;

/**
 * Asks the local cloud.
 * @returns the answer's body
 * @throws CloudError when there is no answer, or one that says no
 */
export async function ask(path: string, init?: RequestInit): Promise<string> {
  let answer: Response;
  let text: string;
  try {
    const signals = [AbortSignal.timeout(PATIENCE), ...(init?.signal ? [init.signal] : [])];
    answer = await fetch(path, { ...init, signal: AbortSignal.any(signals) });
    text = await answer.text();
  } catch (cause) {
    throw new CloudError(undefined, cause);
  }
  if (!answer.ok) throw new CloudError(answer.status);
  return text;
}

export const readState = (): Promise<CloudState> => askFor('/_local/state');

/**
 * Asks for what is shown over and over, so once: the next look is the retry.
 * @throws CloudError when there is no answer in time, or one that says no
 */
export const askFor = async <T>(path: string, headers?: Record<string, string>): Promise<T> =>
  JSON.parse(await ask(path, { ...(headers && { headers }), signal: AbortSignal.timeout(LOOK_PATIENCE) }));

/** Empties everything and seeds it again. */
export const resetCloud = (): Promise<string> => ask('/_local/reset', { method: 'POST' });

/** What goes wrong in the next invocation of a function that no client waits for. */
export const orderFault = (functionName: string, fault: string, signal: AbortSignal): Promise<string> =>
  ask('/_local/faults', { method: 'POST', signal, body: JSON.stringify({ function: functionName, fault, count: 1 }) });
