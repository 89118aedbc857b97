import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { runNatural } from '../../lib/engine/run-natural.ts';
import type { Reader } from '../../lib/protocol/reader.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { accountKey } from '../../lib/wallet/account.ts';
import { placeOrder } from '../../lib/wallet/order.ts';
import { payOrder } from '../../lib/wallet/order-payment.ts';
import { putItem, readItem } from '../setup/items.ts';
import { cancelWith, loseResponse, meddledStore, reset } from '../setup/meddled-store.ts';
import { setClock } from '../setup/set-clock.ts';
import { openKeylessWallet } from './keyless.ts';

let wallet: Awaited<ReturnType<typeof openKeylessWallet>>;
beforeAll(async () => {
  wallet = await openKeylessWallet();
});

const balanceOf = async (account: string) => (await readItem(wallet.store, accountKey(account)))?.balance;
const fund = async (account: string, balance: number) =>
  putItem(wallet.store, { ...(await readItem(wallet.store, accountKey(account))), balance, available: balance });

const place = (body: object, caller = 'alice') => wallet.call('POST /orders', { body, caller });
const pay = (orderId: string, attemptId: string, caller = 'alice') =>
  wallet.call('POST /orders/{orderId}/payment', { params: { orderId }, body: { attemptId }, caller });

async function anOrder(balance = 1_000, amount = 400) {
  const account = await wallet.openAccount(balance);
  const order = { orderId: wallet.unique('order-'), account, amount };
  expect(await place(order)).toMatchObject({ status: 201, repeated: false });
  return order;
}

describe('orders', () => {
  it('R34 are placed once under their natural key', async () => {
    const order = await anOrder();
    const again = await place(order);
    expect(again).toMatchObject({ status: 200, repeated: true, json: { ...order, status: 'pending' } });
  });

  it('R34 are placed once when ten requests come at once', async () => {
    const order = { orderId: wallet.unique('order-'), account: await wallet.openAccount(), amount: 5 };
    const answers = await Promise.all(Array.from({ length: 10 }, () => place(order)));
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(9).fill(200), 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('R34 say when their id was used for something else', async () => {
    const order = await anOrder();
    expect(await place({ ...order, amount: 401 })).toMatchObject({ status: 422, code: 'order-differs' });
    const account = await wallet.openAccount();
    expect(await place({ ...order, account })).toMatchObject({ status: 422, code: 'order-differs' });
    expect(await place({ ...order, note: 'unknown members are ignored' })).toMatchObject({ status: 200 });
  });

  it('R34 are per caller', async () => {
    const order = await anOrder();
    const account = await wallet.openAccount(0, 'bob');
    expect(await place({ ...order, account }, 'bob')).toMatchObject({ status: 201 });
    expect(await pay(order.orderId, 'a1', 'bob')).toMatchObject({ status: 402 });
    expect(await pay(order.orderId, 'a1')).toMatchObject({ status: 200 });
  });

  it("R34 need an account of the caller's", async () => {
    const account = await wallet.openAccount(100, 'bob');
    for (const none of [account, 'acct_none']) {
      const answer = await place({ orderId: wallet.unique('order-'), account: none, amount: 1 });
      expect(answer).toMatchObject({ status: 404, code: 'account-not-found' });
    }
  });

  it('R34 survive a lost response: the resend is still the first', async () => {
    const store = meddledStore(wallet.store);
    const engine = createEngine({ store, surroundings: setClock() });
    const account = await wallet.openAccount();
    const order = { orderId: wallet.unique('order-'), account, amount: 5, caller: 'alice', now: milliseconds(0) };
    store.meddle(loseResponse);
    const answer = await runNatural(engine, milliseconds(Date.UTC(2027, 0)), () => placeOrder(order));
    expect(answer).toMatchObject({ repeated: false, reply: { status: 201 } });
    expect(store.calls).toHaveLength(2);
  });

  it('R34 retry conflicts, whatever the other reasons say, and give up on a store that is down', async () => {
    const store = meddledStore(wallet.store);
    const engine = createEngine({ store, surroundings: setClock() });
    const account = await wallet.openAccount();
    const order = { orderId: wallet.unique('order-'), account, amount: 5, caller: 'alice', now: milliseconds(0) };
    const deadline = milliseconds(Date.UTC(2027, 0));
    store.meddle(cancelWith('TransactionConflict', 'None'), cancelWith('None', 'ThrottlingError'));
    expect(await runNatural(engine, deadline, () => placeOrder(order))).toMatchObject({ reply: { status: 201 } });
    store.meddle(...Array<typeof reset>(50).fill(reset));
    await expect(runNatural(engine, deadline, () => placeOrder(order))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
  });
});

describe('payments of orders', () => {
  it('R36 happen from pending only: a second pay changes nothing', async () => {
    const { orderId, account } = await anOrder();
    const first = await pay(orderId, 'a1');
    expect(first).toMatchObject({ status: 200, repeated: false, json: { status: 'paid', attemptId: 'a1' } });
    for (const attempt of ['a1', 'a2']) {
      const again = await pay(orderId, attempt);
      expect(again).toMatchObject({ status: 200, repeated: true });
      expect(again.text).toBe(first.text);
    }
    expect(await balanceOf(account)).toBe(600);
  });

  it('R36 happen once when ten attempts come at once', async () => {
    const { orderId, account } = await anOrder();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => pay(orderId, `a${index % 5}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(account)).toBe(600);
  });

  it('R36 are not refused when the same attempt pays between two reads', async () => {
    const { orderId, account } = await anOrder();
    const engine = createEngine({ store: wallet.store, surroundings: setClock() });
    let order: ReturnType<Reader['get']>;
    let paid: Promise<unknown> | undefined;
    /** The order is read while it is pending, and its attempt once another request has paid. */
    const get: Reader['get'] = async (key) => {
      if (String(key.sk).startsWith('attempt#')) {
        await order;
        paid ??= pay(orderId, 'a1');
        await paid;
        return wallet.read.get(key);
      }
      order = wallet.read.get(key);
      return order;
    };
    const request = { uuid: wallet.unique(''), now: milliseconds(0) };
    const input = { orderId, attemptId: 'a1', caller: 'alice', request };
    const answer = await runNatural(engine, milliseconds(Date.UTC(2027, 0)), () =>
      payOrder(input, { ...wallet.read, get }),
    );
    expect(answer).toMatchObject({ repeated: true, reply: { status: 200 } });
    expect(await balanceOf(account)).toBe(600);
  });

  it('R34 book one entry, which names the order', async () => {
    const { orderId, account } = await anOrder();
    await pay(orderId, 'a1');
    await pay(orderId, 'a1');
    expect(await wallet.entries(account)).toMatchObject([
      { kind: 'order', amount: -400, balance: 600, operation: orderId },
    ]);
  });

  it('R34 that were refused stay refused, even once there is enough; another attempt pays', async () => {
    const { orderId, account } = await anOrder(100);
    const refused = await pay(orderId, 'a1');
    expect(refused).toMatchObject({ status: 402, code: 'insufficient-funds' });
    await fund(account, 1_000);
    const again = await pay(orderId, 'a1');
    expect(again).toMatchObject({ status: 402, text: refused.text, repeated: true });
    expect(await balanceOf(account)).toBe(1_000);
    expect(await pay(orderId, 'a2')).toMatchObject({ status: 200, json: { status: 'paid' } });
    expect(await pay(orderId, 'a1')).toMatchObject({ status: 200, json: { attemptId: 'a2' } });
    expect(await balanceOf(account)).toBe(600);
  });

  it('R36 are not refused for funds that arrive between the look and the write', async () => {
    const { orderId, account } = await anOrder(100);
    const store = meddledStore(wallet.store);
    const engine = createEngine({ store, surroundings: setClock() });
    const input = { orderId, attemptId: 'a1', caller: 'alice', request: { uuid: 'u', now: milliseconds(0) } };
    store.meddle(async ({ send }) => {
      await fund(account, 1_000);
      return send();
    });
    const plan = () => payOrder(input, wallet.read);
    const answer = await runNatural(engine, milliseconds(Date.UTC(2027, 0)), plan);
    expect(answer.reply).toMatchObject({ status: 200, body: { status: 'paid' } });
    expect(await balanceOf(account)).toBe(600);
  });

  it('R36 are not refused when another attempt pays between two reads', async () => {
    const { orderId, account } = await anOrder(400);
    const engine = createEngine({ store: wallet.store, surroundings: setClock() });
    let paid: Promise<unknown> | undefined;
    /** The order is read while it is pending, and its account once the other attempt has emptied it. */
    const get: Reader['get'] = async (key) => {
      if (key.sk === 'account') {
        paid ??= pay(orderId, 'a1');
        await paid;
      }
      return wallet.read.get(key);
    };
    const input = { orderId, attemptId: 'a2', caller: 'alice', request: { uuid: 'u', now: milliseconds(0) } };
    const answer = await runNatural(engine, milliseconds(Date.UTC(2027, 0)), () =>
      payOrder(input, { ...wallet.read, get }),
    );
    expect(answer).toMatchObject({ repeated: true, reply: { status: 200, body: { attemptId: 'a1' } } });
    expect(await pay(orderId, 'a2')).toMatchObject({ status: 200, json: { attemptId: 'a1' } });
    expect(await balanceOf(account)).toBe(0);
  });

  it('R36 are answered once and for all when four attempts come at once and there is enough for one', async () => {
    for (let order = 1; order <= 5; order++) {
      const { orderId, account } = await anOrder(400);
      const attempts = ['a', 'b', 'c', 'd'];
      const answers = await Promise.all(attempts.map((attempt) => pay(orderId, attempt)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await balanceOf(account)).toBe(0);
    }
  });

  it('R34 of no order are 404', async () => {
    expect(await pay('order-none', 'a1')).toMatchObject({ status: 404, code: 'order-not-found' });
    expect(await pay('x'.repeat(3_000), 'a1')).toMatchObject({ status: 404, code: 'order-not-found' });
    const { orderId } = await anOrder();
    expect(await pay(orderId, 'a1', 'bob')).toMatchObject({ status: 404, code: 'order-not-found' });
  });
});
