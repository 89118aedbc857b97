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

/** A cloud that does not answer in this time is taken for stopped. */
const PATIENCE = 5_000;

/** @throws TypeError or DOMException when the cloud does not answer */
export async function readState(): Promise<CloudState> {
  const answer = await fetch('/_local/state', { signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) throw new TypeError(`The local cloud answers ${answer.status}.`);
  return answer.json();
}

/** Empties everything and seeds it again. */
export const resetCloud = (): Promise<Response> => fetch('/_local/reset', { method: 'POST' });

/** What goes wrong in the next invocation of a function that no client waits for. */
export const orderFault = (functionName: string, fault: string): Promise<Response> =>
  fetch('/_local/faults', { method: 'POST', body: JSON.stringify({ function: functionName, fault, count: 1 }) });
