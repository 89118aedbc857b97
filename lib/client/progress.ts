import type { DeliveryError } from './delivery-error.ts';

/**
 * What happens to a call, told as it happens: for a page that shows it, or for a log. A response in it is the caller's:
 * its status and headers may be looked at, its body belongs to whoever called.
 */
export type Progress =
  /** An attempt is sent; the first is 1. */
  | { readonly kind: 'attempt'; readonly attempt: number; readonly key: string | undefined }
  /** It settled nothing, and the next one follows after `pause` milliseconds. Without a response, none came. */
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly pause: number;
      readonly response: Response | undefined;
    }
  /** The same request is under way for this intent: both get its answer. */
  | { readonly kind: 'joined'; readonly key: string | undefined }
  | { readonly kind: 'settled'; readonly attempt: number; readonly response: Response }
  | { readonly kind: 'gave-up'; readonly error: DeliveryError };

export type OnProgress = (progress: Progress) => void;
