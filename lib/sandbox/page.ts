import type { PageStorage } from './page-storage.ts';

/** What the page does for its tabs. */
export interface Page {
  readonly storage: PageStorage;
  /** Shows what is new, if there is anything. */
  readonly look: () => Promise<void>;
  /** Empties the local cloud, and forgets what was kept of it. */
  readonly reset: () => Promise<void>;
}
