import { expect } from 'vitest';
import type { DeliveryError } from '../../lib/client/delivery-error.ts';
import { createRetryingFetch, type RetryingFetch, type RetryingFetchOptions } from '../../lib/client/retrying-fetch.ts';
import { storage } from './storage.ts';

/** A client that does not keep a test waiting. */
export const impatientClient = (options: Partial<RetryingFetchOptions> = {}): RetryingFetch =>
  createRetryingFetch({ storage: storage(), backoff: { base: 1, cap: 5 }, ...options });

/** The error of a call that must not be answered. */
export const failureOf = (call: Promise<Response>): Promise<DeliveryError> =>
  call.then(
    ({ status }) => expect.unreachable(`answered ${status}`),
    (error: DeliveryError) => error,
  );
