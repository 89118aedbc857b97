import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../../../lib/protocol/plan.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import type { Store } from '../../../lib/store/store.ts';
import { declines, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, type SaleOperation, withoutReserve } from '../../setup/kiosk.ts';
import { failWith, loseResponse, reset } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const namesOf = (calls: readonly { readonly name: string }[]) => calls.map(({ name }) => name);

/** The sale, refused before anything is claimed or called. */
const refusing =
  (reserve: SaleOperation['reserve']) =>
  (sale: SaleOperation): SaleOperation => ({ ...sale, ...(reserve && { reserve }) });

describe('a claim', () => {
  it('R9 is one PutItem that tells its loser everything, and so is the completion', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const first = stalls();
    kiosk.terminal.next(first.act);
    const key = randomUUID();
    const selling = kiosk.sell({ key });
    await first.reached;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 409, code: 'request-in-flight' });
    first.letGo();
    expect(await selling).toMatchObject({ status: 201, replayed: false });
    expect(namesOf(kiosk.store.calls)).toEqual(['PutCommand', 'PutCommand', 'PutCommand']);
    for (const { input } of kiosk.store.calls.slice(0, 2)) {
      expect(input.ConditionExpression).toBe('attribute_not_exists(pk)');
      expect(input.ReturnValuesOnConditionCheckFailure).toBe('ALL_OLD');
    }
    expect(kiosk.counted).toEqual(['in-flight', 'new']);
  });

  it('R9 is one transaction with what is reserved, the record first', async () => {
    const kiosk = await newKiosk(store);
    expect(await kiosk.sell({ body: { amount: 30 } })).toMatchObject({ status: 201 });
    expect(namesOf(kiosk.store.calls)).toEqual(['TransactWriteCommand', 'TransactWriteCommand']);
    const [claim, booking] = kiosk.store.calls.map(({ input }) => input.TransactItems);
    expect(claim[0].Put).toMatchObject({
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      Item: { status: 'in_progress', attempt: 1, intent: '{"amount":30}' },
    });
    expect(booking[0].Put.Item).toMatchObject({ status: 'completed', ownerToken: claim[0].Put.Item.ownerToken });
    expect(await kiosk.shelf()).toEqual({ unsold: 70, held: 0, sold: 30 });
  });

  it('R8 leaves no intent and no place in the index behind', async () => {
    const kiosk = await newKiosk(store);
    await kiosk.sell();
    const record = await kiosk.record();
    expect(record).toMatchObject({ status: 'completed', expiresAt: kiosk.clock.now() / 1_000 + 86_400 });
    for (const name of ['intent', 'pendingShard', 'leaseUntil', 'unknowns']) expect(record).not.toHaveProperty(name);
  });

  it.each([
    [10_000, 12_000],
    [250, 2_250],
    [0, 2_000],
    [-5, 2_000],
  ])('R13 with %i ms left is held for %i ms', async (remaining, lease) => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    await kiosk.sell({ remaining });
    const [claim] = kiosk.store.calls;
    expect(claim?.input.Item.leaseUntil).toBe(kiosk.clock.now() + lease);
  });

  it.each([
    ['an own write', withoutReserve],
    ['a transaction', (sale: SaleOperation) => sale],
  ])('C13 as %s goes on when its response was lost: no 409 against oneself', async (_, operation) => {
    const kiosk = await newKiosk(store, { operation });
    kiosk.store.meddle(loseResponse);
    expect(await kiosk.sell()).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
    expect((await kiosk.shelf()).held).toBe(0);
  });

  it('R10 whose transaction is refused by its own earlier write goes on as the owner', async () => {
    const kiosk = await newKiosk(store);
    // DynamoDB forgets a client request token after ten minutes: then only the owner token tells.
    kiosk.store.meddle(loseResponse, async (call) => {
      call.command.input.ClientRequestToken = randomUUID();
      return call.send();
    });
    expect(await kiosk.sell({ body: { amount: 30 } })).toMatchObject({ status: 201, replayed: false });
    expect(await kiosk.shelf()).toEqual({ unsold: 70, held: 0, sold: 30 });
  });

  it('C1 stays held however often others are refused', async () => {
    const kiosk = await newKiosk(store);
    const first = stalls();
    kiosk.terminal.next(first.act);
    const key = randomUUID();
    const selling = kiosk.sell({ key });
    await first.reached;
    const before = await kiosk.record();
    for (const _ of ['b', 'c']) expect(await kiosk.newEnvironment().sell({ key })).toMatchObject({ status: 409 });
    expect(await kiosk.sell({ key, body: { amount: 1 } })).toMatchObject({ code: 'idempotency-key-reused' });
    expect(await kiosk.sell({ key, body: { amount: 'x' } })).toMatchObject({ code: 'idempotency-key-reused' });
    expect(await kiosk.record()).toEqual(before);
    first.letGo();
    await selling;
    expect([kiosk.terminal.asked, (await kiosk.shelf()).sold]).toEqual([['charge 1'], 100]);
  });

  it('C3 inside another one leaves two records, and each replays', async () => {
    const inner = await newKiosk(store);
    const key = randomUUID();
    const outer = await newKiosk(store, {
      operation: (sale) => ({
        ...sale,
        call: async (phase) => {
          await inner.sell({ key: `inside-${phase.operation.id}` });
          return sale.call(phase);
        },
      }),
    });
    const first = await outer.sell({ key });
    expect(await outer.sell({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
    const innerKey = `inside-${first.operation}`;
    expect(await inner.sell({ key: innerKey })).toMatchObject({ status: 201, replayed: true });
    expect([(await outer.record()).pk === (await inner.record()).pk, inner.terminal.charges.size]).toEqual([false, 1]);
  });

  it('R21 that cannot be written is 503, and nothing is called', async () => {
    const kiosk = await newKiosk(store);
    kiosk.store.meddle(...Array(200).fill(reset));
    const reply = await kiosk.sell({ key: 'down' });
    expect(reply).toMatchObject({ status: 503, code: 'store-unavailable' });
    expect(reply.headers['retry-after']).toBe('1');
    expect(kiosk.terminal.asked).toEqual([]);
    kiosk.store.calm();
    expect(await kiosk.sell({ key: 'down' })).toMatchObject({ status: 201, replayed: false });
  });

  it('R22 that meets a conflict or a throttle is tried again', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    kiosk.store.meddle(failWith('TransactionConflictException'), failWith('ThrottlingException'));
    expect(await kiosk.sell()).toMatchObject({ status: 201 });
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
  });

  it('R8 replaces an expired record, conditional on its owner', async () => {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    kiosk.clock.advance(86_400_000);
    const second = await kiosk.sell({ key, body: { amount: 7 } });
    expect(second).toMatchObject({ status: 201, replayed: false });
    expect(second.operation).not.toBe(first.operation);
    expect(kiosk.counted).toEqual(['new', 'expired', 'new']);
    expect(kiosk.terminal.charges.size).toBe(2);
  });
});

describe('a reservation', () => {
  it.each([
    ['a condition', undefined],
    ['a returned refusal', refusing(async () => refuse('insufficient-funds', 'Sold out.'))],
    [
      'a thrown refusal',
      refusing(async () => {
        throw new SemelError('insufficient-funds', 'Sold out.');
      }),
    ],
  ])('R16 refused by %s is final, before the call', async (_, operation) => {
    const kiosk = await newKiosk(store, { stock: 99, ...(operation && { operation }) });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 402, code: 'insufficient-funds' });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
    expect([kiosk.terminal.asked, kiosk.counted]).toEqual([[], ['refused', 'replayed']]);
    expect(await kiosk.record()).toMatchObject({ status: 'completed' });
  });

  it('R16 that sees what the first attempt has taken still ends in its reply', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect((await kiosk.shelf()).unsold).toBe(0);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
    expect(await kiosk.sell()).toMatchObject({ status: 402, code: 'insufficient-funds' });
  });

  it('R15 that fails with a code that is not stored leaves the key usable', async () => {
    let open = false;
    const kiosk = await newKiosk(store, {
      operation: (sale) => ({
        ...sale,
        reserve: (phase, round) => {
          if (!open) throw new SemelError('forbidden', 'Closed.');
          return sale.reserve?.(phase, round) ?? { effects: [] };
        },
      }),
    });
    const key = randomUUID();
    expect(await kiosk.sell({ key })).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await kiosk.records()).toEqual([]);
    expect(namesOf(kiosk.store.calls)).toEqual(['TransactGetCommand']);
    open = true;
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 201, replayed: false });
    open = false;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
  });

  it('R16 is given back when the other side declines, and that is final', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(declines);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 402, code: 'card-declined' });
    expect(await kiosk.shelf()).toEqual({ unsold: 100, held: 0, sold: 0 });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
    expect([kiosk.terminal.asked, kiosk.counted]).toEqual([['charge 1'], ['refused', 'replayed']]);
  });
});
