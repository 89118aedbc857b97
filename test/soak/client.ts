import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { localApiKey } from '../../lib/cli/local-seed.ts';

/** A transfer that was answered with 201. */
export interface Acknowledged {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

/** What all clients did, as they saw it. */
export interface Log {
  readonly acknowledged: Acknowledged[];
  refused: number;
  requests: number;
  /** Without an answer, or with one that says to come back. */
  unanswered: number;
  replays: number;
  /** What must never be seen. */
  readonly wrong: string[];
}

export const newLog = (): Log => ({
  ...{ acknowledged: [], refused: 0, requests: 0, unanswered: 0, replays: 0, wrong: [] },
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

const FAULTY = 0.35;
const REPLAYED = 0.15;
const FAULTS = ['crash-before', 'crash-after', 'lose-response', 'throttle', 'conflict'] as const;
/** Long enough for a killed cloud to come back. */
const GIVE_UP_AFTER = 180_000;
const REQUEST_TIMEOUT = 20_000;

/** Something that goes wrong with a request: at the look-up of its API key, at its transaction, or on its way back. */
function randomFault(): string | undefined {
  if (Math.random() > FAULTY) return undefined;
  if (Math.random() < 0.2) return Math.random() < 0.5 ? 'drop-response' : `delay=${Math.floor(Math.random() * 300)}`;
  const fault = FAULTS[Math.floor(Math.random() * FAULTS.length)];
  return `${fault}=${Math.random() < 0.25 ? 1 : 2}`;
}

/** Sends one request under one key until it is answered finally. @returns undefined when it gave up */
async function insist(
  url: string,
  path: string,
  body: object,
  log: Log,
): Promise<(Answer & { key: string }) | undefined> {
  const key = randomUUID();
  const until = Date.now() + GIVE_UP_AFTER;
  for (let attempt = 1; Date.now() < until; attempt++) {
    const answer = await send(url + path, key, body, attempt, log);
    if (answer !== undefined && answer.status < 500 && answer.status !== 409) return { ...answer, key };
    log.unanswered++;
    await pause(Math.random() * Math.min(2_000, 100 * 2 ** attempt));
  }
  return undefined;
}

async function send(url: string, key: string, body: object, attempt: number, log: Log): Promise<Answer | undefined> {
  const fault = randomFault();
  log.requests++;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${localApiKey('alice')}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(attempt > 1 && Math.random() < 0.5 && { 'idempotency-attempt': String(attempt) }),
        ...(fault !== undefined && { 'local-fault': fault }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Opens an account of alice's. @throws Error when that is not possible */
export async function openAccount(url: string, openingBalance: number, log: Log): Promise<string> {
  const answer = await insist(url, '/accounts', { currency: 'EUR', openingBalance }, log);
  if (answer?.status !== 201) throw new Error(`No account could be opened: ${answer?.status} ${answer?.text}`);
  return (JSON.parse(answer.text) as { id: string }).id;
}

/** Moves money between the accounts until it is told to stop, each transfer until it is answered. */
export async function moveMoney(url: string, accounts: readonly string[], log: Log, stopped: () => boolean) {
  while (!stopped()) {
    const [from, to] = twoOf(accounts);
    const body = { from, to, amount: 1 + Math.floor(Math.random() * 50) };
    const answer = await insist(url, '/transfers', body, log);
    if (answer === undefined) log.wrong.push(`a transfer was not answered within ${GIVE_UP_AFTER / 1_000} s`);
    else if (answer.status === 402) log.refused++;
    else if (answer.status === 201) {
      log.acknowledged.push({ ...body, id: (JSON.parse(answer.text) as { id: string }).id });
      if (Math.random() < REPLAYED) await replay(url, body, answer, log);
    } else log.wrong.push(`a transfer was answered with ${answer.status}: ${answer.text}`);
  }
}

/** The same again: the same bytes, or no answer at all. */
async function replay(url: string, body: object, { key, status, text }: Answer & { key: string }, log: Log) {
  const again = await send(`${url}/transfers`, key, body, 2, log);
  if (again === undefined || again.status >= 500) return;
  log.replays++;
  if (again.status !== status || again.text !== text) log.wrong.push(`${key} was answered differently: ${again.text}`);
}

function twoOf(accounts: readonly string[]): readonly [string, string] {
  const from = Math.floor(Math.random() * accounts.length);
  const to = (from + 1 + Math.floor(Math.random() * (accounts.length - 1))) % accounts.length;
  return [accounts[from] ?? '', accounts[to] ?? ''];
}
