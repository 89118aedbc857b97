export interface CircuitOptions {
  /** So many failures in a row open the circuit. */
  readonly failures: number;
  /** So long nothing is sent then, in milliseconds. */
  readonly openFor: number;
}

export interface Circuit {
  /** For how long nothing may be sent, in milliseconds; 0 when a request may go. */
  hold(): number;
  /** A request goes. While the circuit is not trusted again, the next one waits for how this one ends. */
  sent(): void;
  /** A request ended. */
  ended(down: boolean): void;
}

/**
 * A circuit breaker for each origin: after several failures in a row it holds requests back, then lets one through at a
 * time until one succeeds. It spares a server that is down, and the caller the wait for its timeouts.
 *
 * @rule R40
 * @example const circuitOf = circuits({ failures: 5, openFor: 10_000 });
 */
export function circuits(options: CircuitOptions): (origin: string) => Circuit {
  const known = new Map<string, Circuit>();
  return (origin) => {
    const found = known.get(origin) ?? circuit(options);
    known.set(origin, found);
    return found;
  };
}

function circuit({ failures, openFor }: CircuitOptions): Circuit {
  let failed = 0;
  let openUntil = 0;
  const sent = (): void => {
    openUntil = failed < failures ? 0 : Date.now() + openFor;
  };
  return {
    hold: () => Math.max(0, openUntil - Date.now()),
    sent,
    ended(down) {
      failed = down ? failed + 1 : 0;
      sent();
    },
  };
}
