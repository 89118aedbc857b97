import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { localSeed } from '../../lib/cli/local-seed.ts';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { synthesize } from '../../lib/cli/synthesize.ts';
import { startDynamoDb } from '../../lib/local/dynamodb.ts';
import { type LocalCloud, startLocalCloud } from '../../lib/local/start.ts';
import { localClient } from '../../lib/local/tables.ts';
import type { Store } from '../../lib/store/store.ts';
import { readProofOptions } from '../setup/proof-options.ts';
import { type ProviderServer, startProvider } from '../setup/provider-server.ts';
import { Published } from './published.ts';
import { type Sale, Shoppers } from './shoppers.ts';

const { values } = readProofOptions({
  command: 'npm run prove:outage',
  about:
    'Stops the payment provider for a while, and checks that every charge is made once and that alarms would ring.',
  options: { seconds: [60, 'How long it is out.'], 'per-second': [2, 'How many customers come in a second.'] },
});
const WELL = 10_000;
const RECONCILE_EVERY = 5_000;
/** The reconciler's last runs, until it finds nothing. */
const MOST_RUNS = 40;

interface Shop {
  readonly cloud: LocalCloud;
  readonly provider: ProviderServer;
  readonly shoppers: Shoppers;
  readonly published: Published;
}

/** Every call's connection ends without an answer; every other charge is made nevertheless. */
function stopAnswering(provider: ProviderServer): void {
  let calls = 0;
  provider.intercept = (call) => (call === 'POST /charges' && calls++ % 2 === 0 ? 'lose' : 'drop');
}

const reconcile = ({ url }: LocalCloud) => fetch(`${url}/_local/jobs/reconcile`, { method: 'POST' });

/** Well, then out for a minute, then well again; customers come all the time. */
async function suffer({ cloud, provider, shoppers, published }: Shop): Promise<void> {
  const runs = setInterval(() => void reconcile(cloud), RECONCILE_EVERY);
  const perSecond = values['per-second'];
  published.enter('before');
  await shoppers.shop(perSecond, WELL);
  published.enter('outage');
  stopAnswering(provider);
  await shoppers.shop(perSecond, values.seconds * 1_000);
  provider.intercept = () => undefined;
  published.enter('recovery');
  await shoppers.shop(perSecond, WELL);
  await shoppers.served();
  clearInterval(runs);
}

/** What docs/runbook.md says under "Needs attention". */
async function resolve({ cloud }: Shop, stuck: readonly Sale[]): Promise<void> {
  const records = ['--table', cloud.tableNames.idempotency ?? '', '--endpoint', cloud.dynamodbEndpoint];
  for (const { operation } of stuck) {
    const words = ['bin/semel.ts', 'operations', 'resolve', String(operation), '--yes', ...records];
    await promisify(execFile)(process.execPath, words, { cwd: PROJECT_ROOT });
  }
}

async function settle(shop: Shop, stuck: readonly Sale[]): Promise<void> {
  for (let run = 0; run < MOST_RUNS; run++) {
    await reconcile(shop.cloud);
    await Promise.all(stuck.filter(({ answer }) => answer === undefined).map((sale) => shop.shoppers.insist(sale)));
    if (stuck.every(({ answer }) => answer !== undefined)) break;
    await pause(1_000);
  }
  shop.published.enter('after');
  await reconcile(shop.cloud);
}

async function audit({ provider, shoppers, published }: Shop, openingBalance: number) {
  const { sales } = shoppers;
  const charges = await provider.charges();
  const references = new Set(charges.map(({ reference }) => reference));
  const wanted = sales.reduce((sum, { amount }) => sum + amount, 0);
  const { before, outage, after } = published.phases;
  return {
    'charges without a final answer': sales.filter(({ answer }) => answer?.status !== 201).length,
    'charges that the provider does not know': sales.filter(({ operation }) => !references.has(operation)).length,
    'charges made more than once': charges.length - references.size,
    'money missing from the account, or too much': (await shoppers.balance()) - openingBalance - wanted,
    'alarms that would have missed it': [
      (outage?.unknown ?? 0) > (before?.unknown ?? 0),
      (outage?.['unfinished-count'] ?? 0) > (before?.['unfinished-count'] ?? 0),
      (outage?.['unfinished-oldest-age'] ?? 0) > (before?.['unfinished-oldest-age'] ?? 0),
    ].filter((rose) => !rose).length,
    'operations left unfinished': (after?.['unfinished-count'] ?? 1) + (after?.['attention-count'] ?? 1),
  };
}

const assembly = mkdtempSync(join(tmpdir(), 'semel-outage-'));
await synthesize(assembly);
const dynamodb = await startDynamoDb();
const provider = await startProvider({ client: localClient(dynamodb.endpoint) } as Store);
const published = new Published();
const cloud = await startLocalCloud({
  ...{ assembly, port: 0, seed: localSeed(), dynamodbEndpoint: dynamodb.endpoint },
  ...{ environment: { PROVIDER_URL: provider.url }, log: (line) => published.take(line) },
});
try {
  const shop = { cloud, provider, shoppers: new Shoppers(cloud.url), published };
  const openingBalance = await shop.shoppers.balance();
  await suffer(shop);
  const stuck = shop.shoppers.sales.filter(({ answer }) => answer === undefined);
  await resolve(shop, stuck);
  await settle(shop, stuck);
  const found = await audit(shop, openingBalance);
  console.table(published.phases);
  console.table({
    charges: shop.shoppers.sales.length,
    '5xx answers meanwhile': shop.shoppers.unavailable,
    'resolved by a person': stuck.length,
    ...found,
  });
  const fine = Object.values(found).every((count) => count === 0);
  console.log(fine ? 'Every charge was made once, and seen to be.' : 'SOMETHING WAS LOST, DOUBLED OR NOT SEEN.');
  process.exitCode = fine ? 0 : 1;
} finally {
  await cloud.stop();
  await provider.stop();
  await dynamodb.stop();
  rmSync(assembly, { recursive: true, force: true });
}
