/** The package's entry `semel/client`: what a browser or another service needs to call a service of Semel's. */
export { DeliveryError, type DeliveryProblem, type Outcome } from '../client/delivery-error.ts';
export { createInOrderSender, type InOrderSender, type InOrderSenderOptions } from '../client/in-order-sender.ts';
export type { KeyStorage } from '../client/intent-keys.ts';
export type { Progress } from '../client/progress.ts';
export {
  createRetryingFetch,
  type IntentFetch,
  type RetryingFetch,
  type RetryingFetchOptions,
} from '../client/retrying-fetch.ts';
