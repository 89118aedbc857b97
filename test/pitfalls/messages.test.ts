import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyOnce } from '../../lib/engine/apply-once.ts';
import { createEngine } from '../../lib/engine/engine.ts';
import type { MessagePlan } from '../../lib/protocol/message.ts';
import { decideSequence, gapsAbove } from '../../lib/protocol/sequence.ts';
import { days, milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { damage, openTill } from './till.ts';

let store: Store;
let tests = 0;
beforeAll(async () => {
  store = await freshStore();
});

const AMOUNT = 500;

/** Applies a message with its marker, as consumers and webhooks do; each test is a consumer of its own. */
function consumer() {
  const engine = createEngine({ store });
  const name = `pitfall-${++tests}`;
  return (eventId: string, plan: () => MessagePlan) =>
    applyOnce(
      engine,
      {
        ...{ consumer: name, source: 'test', eventId, retention: days(14) },
        body: { kind: 'none' },
        deadline: milliseconds(Date.now() + 10_000),
      },
      plan,
    );
}

const crash = (): never => {
  throw new Error('crash');
};

/** Delivers until it is acknowledged, at most three times, as a queue does. */
async function deliver(receive: (acknowledge: () => void, delivery: number) => Promise<unknown>): Promise<void> {
  let acknowledged = false;
  const acknowledge = () => {
    acknowledged = true;
  };
  for (let delivery = 1; delivery <= 3 && !acknowledged; delivery++) {
    await receive(acknowledge, delivery).catch(() => undefined);
  }
}

describe('marking before the effect', () => {
  it('C31 loses a message whose effect failed once', async () => {
    const till = await openTill(store);
    await deliver(async (acknowledge, delivery) => {
      if ((await till.noted('evt_1')) === undefined) {
        await till.note('evt_1', 'seen');
        if (delivery === 1) crash();
        await till.charge(AMOUNT);
      }
      acknowledge();
    });
    damage('marking before the effect', `lost: ${AMOUNT - (await till.charged())}`);
    expect(await till.charged()).toBe(0);
  });

  it('C31 applies its redelivery when mark and effect are one', async () => {
    const till = await openTill(store);
    const apply = consumer();
    await deliver(async (acknowledge, delivery) => {
      await apply('evt_1', () => (delivery === 1 ? crash() : { effects: [till.charging(AMOUNT)] }));
      acknowledge();
    });
    expect(await till.charged()).toBe(AMOUNT);
  });
});

describe('acknowledging before the effect', () => {
  it('R25 loses a message when the consumer dies in between', async () => {
    const till = await openTill(store);
    await deliver(async (acknowledge, delivery) => {
      acknowledge();
      if (delivery === 1) crash();
      await till.charge(AMOUNT);
    });
    damage('acknowledging before the effect', `lost: ${AMOUNT - (await till.charged())}`);
    expect(await till.charged()).toBe(0);
  });

  it('R25 applies it twice when it is acknowledged after, without a mark', async () => {
    const till = await openTill(store);
    await deliver(async (acknowledge, delivery) => {
      await till.charge(AMOUNT);
      if (delivery === 1) crash();
      acknowledge();
    });
    damage('acknowledging after the effect, without a mark', `charged twice: ${await till.charged()}`);
    expect(await till.charged()).toBe(2 * AMOUNT);
  });

  it('R25 applies it once when it is acknowledged after the marked effect', async () => {
    const till = await openTill(store);
    const apply = consumer();
    const endings: string[] = [];
    await deliver(async (acknowledge, delivery) => {
      endings.push((await apply('evt_1', () => ({ effects: [till.charging(AMOUNT)] }))).kind);
      if (delivery === 1) crash();
      acknowledge();
    });
    expect(endings).toEqual(['applied', 'duplicate']);
    expect(await till.charged()).toBe(AMOUNT);
  });
});

describe('a high-water mark under messages out of order', () => {
  const ARRIVING = [1, 3, 2] as const;

  it('R29 loses the message that was overtaken', async () => {
    const till = await openTill(store);
    let mark = 0;
    for (const seq of ARRIVING) {
      if (seq <= mark) continue;
      await till.charge(AMOUNT);
      mark = seq;
    }
    damage('a high-water mark, out of order', `lost: ${ARRIVING.length * AMOUNT - (await till.charged())}`);
    expect(await till.charged()).toBe(2 * AMOUNT);
  });

  it('R29 loses none when a gap is told apart and sent again', async () => {
    const till = await openTill(store);
    let mark = 0;
    const parked = new Set<number>();
    const receive = async (seq: number) => {
      const decision = decideSequence(mark, seq);
      if (decision === 'gap') parked.add(seq);
      if (decision !== 'apply') return;
      await till.charge(AMOUNT);
      mark = seq;
    };
    for (const seq of ARRIVING) await receive(seq);
    expect(gapsAbove(mark, parked)).toEqual([]);
    // The sender asks how far its messages came, and sends the rest again in order.
    for (const seq of ARRIVING.toSorted((a, b) => a - b)) await receive(seq);
    expect({ mark, charged: await till.charged() }).toEqual({ mark: 3, charged: 3 * AMOUNT });
  });
});

describe('a Bloom filter', () => {
  const BITS = 128;
  const IDS = Array.from({ length: 40 }, (_, index) => `evt_${index}`);

  /** "Perhaps seen" or "surely new", in a few bits for each id. */
  function bloomFilter() {
    const bits = new Set<number>();
    const positions = (id: string) =>
      [0, 2, 4].map((at) => createHash('sha256').update(id).digest().readUInt16BE(at) % BITS);
    return {
      mayHold: (id: string) => positions(id).every((position) => bits.has(position)),
      add: (id: string) => {
        for (const position of positions(id)) bits.add(position);
      },
    };
  }

  it('R25 drops real messages as duplicates', async () => {
    const till = await openTill(store);
    const seen = bloomFilter();
    const dropped: string[] = [];
    for (const id of IDS) {
      if (seen.mayHold(id)) dropped.push(id);
      else await till.charge(AMOUNT);
      seen.add(id);
    }
    damage(
      'a Bloom filter',
      `lost: ${IDS.length * AMOUNT - (await till.charged())} (${dropped.length} of ${IDS.length})`,
    );
    expect(dropped.length).toBeGreaterThan(0);
  });

  it('R25 does no harm where markers decide', async () => {
    const till = await openTill(store);
    const apply = consumer();
    for (const id of IDS) await apply(id, () => ({ effects: [till.charging(AMOUNT)] }));
    for (const id of IDS.slice(0, 5)) await apply(id, () => ({ effects: [till.charging(AMOUNT)] }));
    expect(await till.charged()).toBe(IDS.length * AMOUNT);
  });
});
