import { now } from './time.ts';

export interface CircuitOptions {
  /** So many failures in a row open the circuit. @default 5 */
  readonly failures?: number | undefined;
  /** So long nothing is sent then, in milliseconds. @default 10_000 */
  readonly openFor?: number | undefined;
}

export interface Circuit {
  /** For how long nothing may be sent, in milliseconds; not above 0 when a request may go. */
  hold(): number;
  /** A request goes. While the circuit is not trusted again, the next one waits for how this one ends. */
  sent(): void;
  /** A request ended. */
  ended(down: boolean): void;
}

/** Is a server down that gives this answer, or none? What the service itself explains (RFC 9457) is no sign of it. */
export const isDown = (answer: Response | undefined): boolean =>
  !answer || (answer.status >= 500 && !/problem\+json/.test(answer.headers.get('content-type') as string));

/**
 * A circuit breaker for each origin: after several failures in a row it holds requests back, then lets one through at a
 * time until one succeeds. It spares a server that is down, and the caller the wait for its timeouts.
 *
 * @rule R40
 * @example const circuitOf = circuits({ failures: 5, openFor: 10_000 });
 */
export function circuits({ failures = 5, openFor = 10_000 }: CircuitOptions = {}): (origin: string) => Circuit {
  const known: Record<string, Circuit> = {};
  const closed = (): Circuit => {
    let failed = 0;
    let openUntil = 0;
    const sent = (): void => {
      openUntil = failed < failures ? 0 : now() + openFor;
    };
    return {
      hold: () => openUntil - now(),
      sent,
      ended(down) {
        failed = down ? failed + 1 : 0;
        sent();
      },
    };
  };
  return (origin) => {
    known[origin] ??= closed();
    return known[origin];
  };
}
