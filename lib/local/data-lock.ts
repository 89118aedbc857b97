import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, ownMark, type ProcessMark } from './process-mark.ts';
import { SetupError } from './setup-error.ts';

const lockIn = (dataDir: string): string => join(dataDir, 'lock.json');

/**
 * Refuses a directory that a local cloud is using: two of them on one database would not see each other's writes.
 * @throws SetupError that names the process
 */
export function refuseUsedData(dataDir: string): void {
  const holder = holderOf(dataDir);
  if (holder === undefined) return;
  throw new SetupError(
    `A local cloud already runs on the data in ${dataDir} (process ${holder.pid}). Stop it, or keep the data of this one elsewhere (--data-dir).`,
  );
}

/**
 * Takes a directory for this process. A lock that a killed process left behind counts for nothing.
 * @returns what gives it back
 * @throws SetupError when a local cloud is using it
 */
export function lockData(dataDir: string): () => void {
  refuseUsedData(dataDir);
  mkdirSync(dataDir, { recursive: true });
  rmSync(lockIn(dataDir), { force: true });
  try {
    writeFileSync(lockIn(dataDir), JSON.stringify(ownMark()), { flag: 'wx' });
  } catch (error) {
    // Another one was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseUsedData(dataDir);
    throw error;
  }
  return () => rmSync(lockIn(dataDir), { force: true });
}

function holderOf(dataDir: string): ProcessMark | undefined {
  try {
    const mark: ProcessMark = JSON.parse(readFileSync(lockIn(dataDir), 'utf8'));
    return isRunning(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}
