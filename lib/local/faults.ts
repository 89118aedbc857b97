/** A failure to inject into one HTTP request of a client. */
export type Fault =
  | { readonly kind: 'drop-response' }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: CallFault; readonly call: number };

/** Faults at the Nth request that the function makes to AWS while it answers one HTTP request, counted from 1. */
export type CallFault = (typeof CALL_FAULTS)[number];

const CALL_FAULTS = ['crash-before', 'crash-after', 'lose-response', 'throttle', 'conflict'] as const;
const LONGEST_DELAY = 60_000;
const GRAMMAR = `drop-response, delay=MS (0 to ${LONGEST_DELAY}), and ${CALL_FAULTS.map((kind) => `${kind}=N`).join(', ')} (N from 1)`;

/**
 * Reads the value of a `Local-Fault` header: one fault, or several separated by commas.
 * @returns the faults, or a sentence that names the part which is not one
 * @example parseFaults('lose-response=2') // → [{ kind: 'lose-response', call: 2 }]
 */
export function parseFaults(header: string | undefined): readonly Fault[] | string {
  const faults: Fault[] = [];
  for (const part of header === undefined ? [] : header.split(',').map((text) => text.trim())) {
    const fault = parseFault(part);
    if (fault === undefined) return `Local-Fault does not know ${JSON.stringify(part)}. It takes ${GRAMMAR}.`;
    faults.push(fault);
  }
  return faults;
}

function parseFault(text: string): Fault | undefined {
  if (text === 'drop-response') return { kind: 'drop-response' };
  const [, name, digits] = /^([a-z-]+)=(\d{1,5})$/.exec(text) ?? [];
  const number = Number(digits);
  if (name === 'delay') return number <= LONGEST_DELAY ? { kind: 'delay', milliseconds: number } : undefined;
  const kind = CALL_FAULTS.find((candidate) => candidate === name);
  return kind !== undefined && number >= 1 ? { kind, call: number } : undefined;
}

/** The fault that strikes the given call, if any; of several at one call, the first that was written. */
export function faultAt(faults: readonly Fault[], call: number): CallFault | undefined {
  const fault = faults.find((candidate) => 'call' in candidate && candidate.call === call);
  return fault !== undefined && 'call' in fault ? fault.kind : undefined;
}

/** How long each call is held back, in milliseconds. */
export const delayOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, fault) => sum + (fault.kind === 'delay' ? fault.milliseconds : 0), 0);

/** Is the client's connection to be cut instead of answered? */
export const dropsResponse = (faults: readonly Fault[]): boolean => faults.some(({ kind }) => kind === 'drop-response');
