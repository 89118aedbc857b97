import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Names a process, so that another one which gets its id later is not taken for it. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, as its system counts; absent where only its id is known. */
  readonly begun?: string | undefined;
}

export const ownMark = (): ProcessMark => ({ pid: process.pid, begun: statusOf(process.pid)?.begun });

/** Does the process still run? One that was killed and has not been waited for does not. */
export function isRunning({ pid, begun }: ProcessMark): boolean {
  if (!exists(pid)) return false;
  const status = statusOf(pid);
  if (status === undefined) return true;
  return !status.state.startsWith('Z') && (begun === undefined || begun === status.begun);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface Status {
  /** Its first letter says it: Z is one that has ended. */
  readonly state: string;
  readonly begun: string;
}

/** Undefined where the system does not tell. */
const statusOf = (pid: number): Status | undefined => fromLinux(pid) ?? fromPs(pid);

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function fromLinux(pid: number): Status | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Its name stands in parentheses before them and may hold spaces.
    const [state = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, begun: rest[18] ?? '' };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Status | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state = '', ...begun] = (stdout ?? '').trim().split(/\s+/);
  return status === 0 ? { state, begun: begun.join(' ') } : undefined;
}
