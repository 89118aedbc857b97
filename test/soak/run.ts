import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { synthesize } from '../../lib/cli/synthesize.ts';
import { readProofOptions } from '../setup/proof-options.ts';
import { audit } from './audit.ts';
import { type Log, moveMoney, newLog, openAccount } from './client.ts';
import { MortalCloud } from './mortal-cloud.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';

const { values } = readProofOptions({
  command: 'npm run soak',
  about:
    'Runs the local cloud under load, kills it every now and then, and compares its tables with what clients were told.',
  options: {
    minutes: [10, 'For how long.'],
    clients: [32, 'How many move money at a time.'],
    'kill-every': [60, 'After how many seconds it is killed and started again.'],
  },
});

/** So little that some transfers are refused for want of money. */
const OPENING_BALANCE = 150;

async function soak(directory: string): Promise<readonly string[]> {
  const { minutes, clients, 'kill-every': killEvery } = values;
  const assembly = join(directory, 'assembly');
  await synthesize(assembly);
  const cloud = new MortalCloud({ assembly, port: await freePort(), dataDir: join(directory, 'data') });
  await cloud.start();
  const log = newLog();
  const accounts = await Promise.all(
    Array.from({ length: clients }, () => openAccount(cloud.url, OPENING_BALANCE, log)),
  );
  const endsAt = Date.now() + minutes * 60_000;
  const stopped = () => Date.now() >= endsAt || log.wrong.length > 0;
  const report = setInterval(() => progress(log, cloud, endsAt), 10_000);
  try {
    const working = Promise.all(accounts.map(() => moveMoney(cloud.url, accounts, log, stopped)));
    await killRegularly(cloud, killEvery * 1_000, endsAt, stopped);
    await working;
    const found = await audit(cloud.ready, log.acknowledged);
    conclude(log, cloud, found);
    return [...log.wrong, ...found.wrong];
  } finally {
    clearInterval(report);
    await cloud.stop();
  }
}

/** The last kill leaves the clients time to find out what became of their requests. */
async function killRegularly(cloud: MortalCloud, every: number, endsAt: number, stopped: () => boolean): Promise<void> {
  for (let next = Date.now() + every; next < endsAt; next += every) {
    while (Date.now() < next && !stopped()) await pause(200);
    if (stopped()) return;
    await cloud.kill();
    await cloud.start();
  }
}

function progress({ acknowledged, refused, requests, unanswered }: Log, { kills }: MortalCloud, endsAt: number): void {
  const left = Math.max(0, Math.round((endsAt - Date.now()) / 1_000));
  process.stderr.write(
    `${left} s left: ${acknowledged.length} transfers, ${refused} refused, ${requests} requests, ` +
      `${unanswered} unanswered, ${kills} kills\n`,
  );
}

function conclude(log: Log, { kills }: MortalCloud, { transfers, records, total }: Awaited<ReturnType<typeof audit>>) {
  console.table({
    'transfers acknowledged': log.acknowledged.length,
    'transfers in the ledger': transfers,
    'refused for want of money': log.refused,
    requests: log.requests,
    'requests without a final answer': log.unanswered,
    'replays compared': log.replays,
    'kills with SIGKILL': kills,
    'records kept': records,
    'money in all accounts': total,
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const directory = mkdtempSync(join(tmpdir(), 'semel-soak-'));
try {
  const wrong = await soak(directory);
  for (const sentence of wrong.slice(0, 20)) console.error(sentence);
  console.log(wrong.length === 0 ? 'Every acknowledged transfer is there once.' : `${wrong.length} promises broken.`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
