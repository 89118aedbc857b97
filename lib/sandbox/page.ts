import type { PageStorage } from './page-storage.ts';

/** What the page does for its tabs. */
export interface Page {
  readonly storage: PageStorage;
  /** Shows what is new, if there is anything. */
  readonly look: () => Promise<void>;
  /** Empties the local cloud, and forgets what was kept of it. */
  readonly reset: () => Promise<void>;
  /** Aborts when what there is now is wiped: what is under way must not be sent to a cloud that has forgotten it. */
  readonly wiping: () => AbortSignal;
  /** Waits for a reset that is under way: what it wipes is not told as if it were there. */
  readonly afterReset: () => Promise<void>;
}
