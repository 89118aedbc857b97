import { byId } from './element.ts';
import { explainFailure } from './explain-failure.ts';
import type { Log } from './log.ts';

/** Does some work; what it fails with is said in the log, not swallowed. */
export async function tried(log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.add(explainFailure(error));
  }
}

/** What a button does, and says in the log if it cannot. */
export function onPress(id: string, log: Log, work: () => Promise<void>): void {
  byId(id, HTMLButtonElement).addEventListener('click', () => void tried(log, work));
}
