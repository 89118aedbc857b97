import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** What a running local cloud leaves behind for other commands to find it by. */
export interface RunningCloud {
  readonly pid: number;
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

const FOLDER = '.semel';
const noteIn = (root: string): string => join(root, FOLDER, 'local.json');

/** Leaves the note; what it answers takes it away again. */
export function announceCloud(root: string, cloud: RunningCloud): () => void {
  mkdirSync(join(root, FOLDER), { recursive: true });
  // For its owner only: it holds secrets.
  writeFileSync(noteIn(root), `${JSON.stringify(cloud, null, 2)}\n`, { mode: 0o600 });
  return () => {
    // A second cloud, started later on another port, has left its own note over this one.
    if (readNote(root)?.pid === cloud.pid) rmSync(noteIn(root), { force: true });
  };
}

/** The local cloud that runs from this checkout; undefined when there is none, even if a crashed one left its note. */
export function findRunningCloud(root: string): RunningCloud | undefined {
  const note = readNote(root);
  return note !== undefined && isAlive(note.pid) ? note : undefined;
}

function readNote(root: string): RunningCloud | undefined {
  try {
    return JSON.parse(readFileSync(noteIn(root), 'utf8')) as RunningCloud;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
