import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { hours, type Seconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { newPurse } from '../setup/purse.ts';
import { damage, openTill } from './till.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const AMOUNT = 500;
const PLENTY = { balance: 10_000 };
const paid = async (purse: { balance(): Promise<number> }) => PLENTY.balance - (await purse.balance());

describe('check, then insert', () => {
  it('C37 charges twice when two requests come 5 ms apart', async () => {
    const till = await openTill(store);
    const request = async () => {
      if ((await till.noted('key')) !== undefined) return;
      // The work between check and insert: long beside 5 ms, as a payment is.
      await pause(300);
      await till.charge(AMOUNT);
      await till.note('key', 'done');
    };
    await Promise.all([request(), pause(5).then(request)]);
    damage('check, then insert', `charged twice: ${await till.charged()}`);
    expect(await till.charged()).toBe(2 * AMOUNT);
  });

  it('C37 charges once when the insert is the check', async () => {
    const purse = await newPurse(store, PLENTY);
    const key = randomUUID();
    const request = () => purse.pay({ key, body: { amount: AMOUNT } });
    const answers = await Promise.all([request(), pause(5).then(request)]);
    expect(await paid(purse)).toBe(AMOUNT);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe('a new key per attempt', () => {
  it('R39 charges for each attempt', async () => {
    const purse = await newPurse(store, PLENTY);
    // The first answer was lost on its way; the client tries again, under another key.
    for (let attempt = 1; attempt <= 2; attempt++) await purse.pay({ key: randomUUID(), body: { amount: AMOUNT } });
    damage('a new key per attempt', `charged twice: ${await paid(purse)}`);
    expect(await paid(purse)).toBe(2 * AMOUNT);
  });

  it('R39 charges once when the key belongs to the intent', async () => {
    const purse = await newPurse(store, PLENTY);
    const key = randomUUID();
    for (let attempt = 1; attempt <= 2; attempt++) await purse.pay({ key, body: { amount: AMOUNT } });
    expect(await paid(purse)).toBe(AMOUNT);
  });
});

describe('no fingerprint', () => {
  it('R7 answers a payment of 900 with the receipt for 500', async () => {
    const till = await openTill(store);
    const request = async (amount: number) => {
      const receipt = await till.noted('key');
      if (receipt !== undefined) return receipt;
      await till.charge(amount);
      await till.note('key', `paid ${amount}`);
      return `paid ${amount}`;
    };
    await request(AMOUNT);
    const receipt = await request(900);
    damage('no fingerprint', `asked for 900, was told "${receipt}": ${900 - AMOUNT} missing`);
    expect(receipt).toBe('paid 500');
  });

  it('R7 says that the key was used for something else', async () => {
    const purse = await newPurse(store, PLENTY);
    const key = randomUUID();
    await purse.pay({ key, body: { amount: AMOUNT } });
    expect(await purse.pay({ key, body: { amount: 900 } })).toMatchObject({ status: 422 });
    expect(await paid(purse)).toBe(AMOUNT);
  });
});

describe('expiring too soon', () => {
  const retryAfterTwoHours = async (options: { readonly retention?: Seconds; readonly retryHorizon?: Seconds }) => {
    const purse = await newPurse(store, { ...PLENTY, ...options });
    const key = randomUUID();
    await purse.pay({ key, body: { amount: AMOUNT } });
    purse.clock.advance(2 * 3_600_000);
    await purse.pay({ key, body: { amount: AMOUNT } });
    return paid(purse);
  };

  it('R23 charges twice when a client retries for longer than its key is kept', async () => {
    // Whoever claims that clients stop after an hour is believed.
    const charged = await retryAfterTwoHours({ retention: hours(1), retryHorizon: hours(1) });
    damage('expiring too soon', `charged twice: ${charged}`);
    expect(charged).toBe(2 * AMOUNT);
  });

  it('R23 does not start with a key that the client of this package outlives', async () => {
    await expect(retryAfterTwoHours({ retention: hours(1) })).rejects.toThrow(/3600 s is shorter .* 86400 s/);
  });

  it('R23 charges once when the key outlives the retries', async () => {
    expect(await retryAfterTwoHours({})).toBe(AMOUNT);
  });
});

describe('replaying for another caller', () => {
  it("C23 shows bob alice's receipt, and charges him nothing", async () => {
    const till = await openTill(store);
    const request = async (caller: string) => {
      const receipt = await till.noted('key');
      if (receipt !== undefined) return receipt;
      await till.charge(AMOUNT);
      await till.note('key', `receipt of ${caller}`);
      return `receipt of ${caller}`;
    };
    await request('alice');
    const seen = await request('bob');
    damage('replaying for another caller', `bob reads "${seen}", and his own ${AMOUNT} are not charged`);
    expect(seen).toBe('receipt of alice');
    expect(await till.charged()).toBe(AMOUNT);
  });

  it('C23 keeps the keys of two callers apart', async () => {
    const purse = await newPurse(store, PLENTY);
    const key = randomUUID();
    const [alice, bob] = [
      await purse.pay({ key, body: { amount: AMOUNT }, caller: 'alice' }),
      await purse.pay({ key, body: { amount: AMOUNT }, caller: 'bob' }),
    ];
    expect(await paid(purse)).toBe(2 * AMOUNT);
    expect(bob.text).not.toBe(alice.text);
  });
});
