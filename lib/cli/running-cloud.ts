import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessMark } from '../local/process-mark.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** What a running local cloud leaves behind for other commands to find it by. */
export interface RunningCloud extends ProcessMark {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly url: string;
  readonly dynamodbEndpoint: string;
  /** Undefined for a stack without one. */
  readonly dataTable: string | undefined;
  /** Undefined for a stack without one. */
  readonly idempotencyTable?: string | undefined;
  /** Undefined for a stack without queues. */
  readonly queuesEndpoint?: string | undefined;
  /** With which webhooks are signed that it takes. */
  readonly webhookSecrets: WebhookSecrets;
}

const folderIn = (root: string): string => join(root, '.semel');
/** One for each port: several clouds may run from one checkout. */
const NOTE = /^local-\d+\.json$/;

/** Leaves the note; what it answers takes it away again. */
export function announceCloud(root: string, cloud: RunningCloud): () => void {
  mkdirSync(folderIn(root), { recursive: true });
  const note = join(folderIn(root), `local-${new URL(cloud.url).port}.json`);
  // For its owner only: it holds secrets.
  writeFileSync(note, `${JSON.stringify(cloud, null, 2)}\n`, { mode: 0o600 });
  return () => rmSync(note, { force: true });
}

/**
 * The local cloud that runs from this checkout, of several the one that started last; undefined when there is none, even
 * if a crashed one left its note.
 */
export function findRunningCloud(root: string): RunningCloud | undefined {
  return readNotes(root)
    .filter(isRunning)
    .toSorted((one, other) => other.startedAt - one.startedAt)[0];
}

function readNotes(root: string): RunningCloud[] {
  try {
    const notes = readdirSync(folderIn(root)).filter((name) => NOTE.test(name));
    return notes.flatMap((name) => readNote(join(folderIn(root), name)) ?? []);
  } catch {
    return [];
  }
}

function readNote(path: string): RunningCloud | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunningCloud;
  } catch {
    return undefined;
  }
}
