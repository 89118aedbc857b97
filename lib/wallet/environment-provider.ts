import { ENVIRONMENT } from '../environment.ts';
import { milliseconds } from '../protocol/time.ts';
import { httpProvider, type Provider } from './provider.ts';

/** Card networks answer in seconds; with this a request still has time to book the outcome before its function ends. */
const DEFAULT_TIMEOUT = 8_000;

/**
 * The provider that the environment names.
 *
 * @default PROVIDER_TIMEOUT_MS: 8,000
 * @throws Error naming the variable that is missing or is no number of milliseconds
 */
export function environmentProvider(environment: Readonly<Record<string, string | undefined>> = process.env): Provider {
  const url = environment[ENVIRONMENT.providerUrl];
  if (!url) throw new Error(`${ENVIRONMENT.providerUrl} is not set: it is where charges are made.`);
  const timeout = Number(environment[ENVIRONMENT.providerTimeout] ?? DEFAULT_TIMEOUT);
  if (!Number.isInteger(timeout) || timeout < 1) {
    throw new Error(
      `${ENVIRONMENT.providerTimeout} must be a whole number of milliseconds, such as ${DEFAULT_TIMEOUT}.`,
    );
  }
  return httpProvider({ url, timeout: milliseconds(timeout) });
}
