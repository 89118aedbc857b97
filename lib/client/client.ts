/** The package's entry `semel/client`: what a browser or another service needs to call a service of Semel's. */
export { DeliveryError, type DeliveryProblem, type Outcome } from './delivery-error.ts';
export { createInOrderSender, type InOrderSender, type InOrderSenderOptions } from './in-order-sender.ts';
export type { KeyStorage } from './intent-keys.ts';
export type { Progress } from './progress.ts';
export {
  createRetryingFetch,
  type IntentFetch,
  type RetryingFetch,
  type RetryingFetchOptions,
} from './retrying-fetch.ts';
