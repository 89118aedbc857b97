import type { Store } from '../../lib/store/store.ts';

/** Where a call is made: names begin with the run's, so that runs share nothing. */
export interface Place {
  readonly store: Store;
  readonly run: string;
  /** Different for each call of a run. */
  readonly step: number;
}

/** One call of the store, with arguments drawn from so few that calls keep meeting each other's items. */
export type StoreCall = (place: Place) => Promise<unknown>;

/** Nothing is aborted here. */
export const SIGNAL = new AbortController().signal;
