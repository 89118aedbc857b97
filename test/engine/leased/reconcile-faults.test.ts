import { beforeEach, describe, expect, it, vi } from 'vitest';
import { listUnfinished } from '../../../lib/engine/list-unfinished.ts';
import { PENDING_SHARDS } from '../../../lib/engine/new-record.ts';
import { reconcile } from '../../../lib/engine/reconcile.ts';
import type { LeasedOperation } from '../../../lib/protocol/leased-operation.ts';
import { milliseconds } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { doesSilently } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { type Kiosk, newKiosk } from '../../setup/kiosk.ts';
import { failWith } from '../../setup/meddled-store.ts';

// The reconciler goes over everything that is unfinished, so each test has tables of its own.
let store: Store;
beforeEach(async () => {
  store = await freshStore();
});

/** More than there are shards, so that one of them shares the faulty record's shard in all likelihood. */
const MANY = 40;

async function leaveUnfinished(kiosk: Kiosk) {
  kiosk.terminal.next(...Array(MANY + 1).fill(doesSilently));
  await kiosk.sell({ key: 'first', body: { amount: 1 } });
  await kiosk.rewrite('SET schemaVersion = :version', { ':version': 99 });
  // The others lapse later, so they come after the faulty one in its shard.
  kiosk.clock.advance(1_000);
  for (let index = 1; index <= MANY; index++) await kiosk.sell({ key: `k${index}`, body: { amount: 1 } });
}

const unfinished = async (kiosk: Kiosk) =>
  (await kiosk.records()).filter(({ status }) => status === 'in_progress').map(({ schemaVersion }) => schemaVersion);

describe('a record that a newer version wrote', () => {
  it('R11 does not keep the reconciler from the others, and the run fails in the end', async () => {
    const kiosk = await newKiosk(store);
    await leaveUnfinished(kiosk);
    await expect(kiosk.reconcile()).rejects.toThrow(new RegExp(`^1 .*"settled":${MANY}`));
    expect(await unfinished(kiosk)).toEqual([99]);
    expect(kiosk.counted.filter((counter) => counter === 'reconciled-failed')).toHaveLength(1);
  });

  it('R38 is told of, and everything else is measured', async () => {
    const kiosk = await newKiosk(store);
    await leaveUnfinished(kiosk);
    const [tell, measure] = [vi.fn(), vi.fn()];
    const engine = { ...kiosk.engine, measure };
    const endsAt = milliseconds(kiosk.clock.now() + 60_000);
    await expect(reconcile(engine, [kiosk.operation as LeasedOperation], endsAt, tell)).rejects.toThrow();
    expect(measure).toHaveBeenCalledWith('unfinished-count', kiosk.operation.name, MANY);
    const { pk } = (await kiosk.records()).find(({ schemaVersion }) => Number(schemaVersion) === 99) ?? {};
    expect(tell).toHaveBeenCalledWith(
      { pk },
      'failed',
      expect.objectContaining({ message: expect.stringMatching(/99/) }),
    );
  });

  it('R38 is listed as unreadable beside the others', async () => {
    const kiosk = await newKiosk(store);
    await leaveUnfinished(kiosk);
    const listed = await listUnfinished(kiosk.engine, milliseconds(kiosk.clock.now() + 60_000));
    expect([listed.records.length, listed.unreadable]).toEqual([MANY, [expect.stringMatching(/schemaVersion 99/)]]);
  });
});

it('R11 a shard that cannot be read does not keep the reconciler from the others', async () => {
  const kiosk = await newKiosk(store);
  kiosk.terminal.next(...Array(MANY).fill(doesSilently));
  for (let index = 1; index <= MANY; index++) await kiosk.sell({ key: `k${index}`, body: { amount: 1 } });
  const shards = (await kiosk.records()).map((record) => 'pendingShard' in record && record.pendingShard);
  const inFirst = shards.filter((shard) => shard === PENDING_SHARDS[0]).length;
  kiosk.store.meddle(failWith('AccessDeniedException'));
  await expect(kiosk.reconcile()).rejects.toThrow(/^1 /);
  expect(await unfinished(kiosk)).toHaveLength(inFirst);
});

it.each([
  ['an intent', 'intent'],
  ['a checkpoint', 'recoveryData'],
])('R11 %s that cannot be read comes before a person in the end, and keeps no key for ever', async (_, attribute) => {
  const kiosk = await newKiosk(store);
  kiosk.terminal.next(doesSilently);
  await kiosk.sell();
  await kiosk.rewrite(`SET ${attribute} = :broken`, { ':broken': '{' });
  const endings: unknown[] = [];
  for (let run = 2; run <= 10; run++) {
    kiosk.clock.advance(60_000);
    endings.push(await kiosk.reconcile());
  }
  expect(endings).toEqual([...Array(8).fill({ unknown: 1 }), { 'needs-attention': 1 }]);
  expect(await kiosk.record()).toMatchObject({
    status: 'needs_attention',
    reason: expect.stringContaining('SyntaxError'),
  });
});
