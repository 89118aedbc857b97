import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { SemelError } from '../../../lib/protocol/problems.ts';
import { MAX_REPLY_BYTES } from '../../../lib/protocol/reply.ts';
import type { Store } from '../../../lib/store/store.ts';
import { declines } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, type SaleOperation, weigh, withoutReserve } from '../../setup/kiosk.ts';
import { cancelWith, loseResponse, passOn, reset } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const answering =
  (body: unknown) =>
  (sale: SaleOperation): SaleOperation => ({ ...withoutReserve(sale), settle: () => ({ status: 201, body }) });

describe('a booking', () => {
  it.each([
    ['an own write', withoutReserve],
    ['a transaction', (sale: SaleOperation) => sale],
  ])('R10 as %s whose response was lost is answered as the first', async (_, operation) => {
    const kiosk = await newKiosk(store, { operation });
    kiosk.store.meddle(passOn, loseResponse);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 201, replayed: false });
    expect(await kiosk.sell({ key })).toMatchObject({ replayed: true, text: first.text });
    expect([kiosk.terminal.asked, kiosk.counted]).toEqual([['charge 1'], ['retried-unreachable', 'new', 'replayed']]);
  });

  it('R10 that DynamoDB has forgotten by the time it is sent again is recognized', async () => {
    const kiosk = await newKiosk(store);
    kiosk.store.meddle(passOn, loseResponse, async (call) => {
      call.command.input.ClientRequestToken = randomUUID();
      return call.send();
    });
    expect(await kiosk.sell()).toMatchObject({ status: 201, replayed: false });
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100 });
  });

  it('R22 that meets a conflict is tried again', async () => {
    const kiosk = await newKiosk(store);
    kiosk.store.meddle(passOn, cancelWith('None', 'TransactionConflict'), cancelWith('TransactionConflict', 'None'));
    expect(await kiosk.sell()).toMatchObject({ status: 201 });
    expect([kiosk.terminal.asked, kiosk.store.calls.length]).toEqual([['charge 1'], 4]);
  });

  it('R21 that the store does not take is 503, and the next attempt books what was charged', async () => {
    const kiosk = await newKiosk(store);
    kiosk.store.meddle(passOn, ...Array(200).fill(reset));
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 503, code: 'store-unavailable', operation: expect.stringMatching(/^op_/) });
    kiosk.store.calm();
    expect(await kiosk.sell({ key })).toMatchObject({ status: 409 });
    kiosk.clock.advance(12_000);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, operation: first.operation });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2']);
  });

  it.each(['settle', 'cancel'] as const)('R12 whose condition fails at %s goes to a person', async (phase) => {
    const impossible = (id: string) => {
      const { Update } = weigh(id) as { Update: object };
      return [{ Update: { ...Update, ConditionExpression: 'attribute_not_exists(pk)' } } as ReturnType<typeof weigh>];
    };
    const kiosk = await newKiosk(store, {
      operation: (sale, id) => ({ ...sale, [phase]: () => ({ effects: impossible(id), reply: { status: 201 } }) }),
    });
    if (phase === 'cancel') kiosk.terminal.next(declines);
    const key = randomUUID();
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'needs-attention' });
    expect(await kiosk.record()).toMatchObject({
      status: 'needs_attention',
      reason: expect.stringContaining('condition of effect 0'),
    });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'needs-attention' });
    expect(kiosk.counted).toEqual(['needs-attention']);
  });

  it.each([
    ['throws', () => Promise.reject(new TypeError('a bug'))],
    ['throws a refusal, after the charge', () => Promise.reject(new SemelError('insufficient-funds', 'Too late.'))],
    ['answers what has no text', () => ({ status: 201, body: { amount: Number.NaN } })],
    ['plans what DynamoDB never takes', () => ({ effects: [{ Put: { Item: {} } }], reply: { status: 201 } })],
  ])('R15 that %s leaves the outcome unknown, and ends with a person', async (_, settle) => {
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...sale, mostUnknowns: 3, settle }) });
    const key = randomUUID();
    const codes: unknown[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      codes.push((await kiosk.sell({ key })).code);
      kiosk.clock.advance(5_000);
    }
    expect(codes).toEqual(['outcome-unknown', 'outcome-unknown', 'needs-attention']);
    expect([kiosk.terminal.charges.size, (await kiosk.shelf()).held]).toEqual([1, 100]);
  });
});

describe('a reply that is too large to keep', () => {
  const large = answering('x'.repeat(MAX_REPLY_BYTES + 1));

  it('R20 is answered once; a tombstone answers retries with 410 and the operation', async () => {
    const kiosk = await newKiosk(store, { operation: large });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect([first.status, first.text.length]).toEqual([201, MAX_REPLY_BYTES + 1]);
    const again = await kiosk.sell({ key });
    expect(again).toMatchObject({ status: 410, code: 'reply-not-kept', operation: first.operation });
    expect(kiosk.counted).toEqual(['new', 'replayed']);
    expect(JSON.parse(again.text)).toMatchObject({ retryable: false, operation: first.operation });
    expect(again.headers['retry-after']).toBeUndefined();
    expect(await kiosk.record()).toMatchObject({ status: 'completed' });
    expect(await kiosk.record()).not.toHaveProperty('reply');
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
    expect(await kiosk.sell({ key, body: { amount: 1 } })).toMatchObject({ status: 422 });
  });

  it('R20 is still answered when the response to its tombstone was lost', async () => {
    const kiosk = await newKiosk(store, { operation: large });
    kiosk.store.meddle(passOn, loseResponse);
    expect(await kiosk.sell()).toMatchObject({ status: 201, replayed: false });
  });

  it('C12 that is just short enough is kept and replayed', async () => {
    const kiosk = await newKiosk(store, { operation: answering('x'.repeat(MAX_REPLY_BYTES)) });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true, text: first.text });
  });
});

describe('a replay', () => {
  it('R17 has the first status, headers and bytes', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    const again = await kiosk.newEnvironment().sell({ key });
    expect(again.headers).toEqual({ ...first.headers, 'idempotent-replayed': 'true' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.headers.location).toMatch(/^\/sales\//);
  });

  it('R4 asks whether the caller may still see it, about what it is about', async () => {
    const asked: unknown[] = [];
    let allowed = false;
    const kiosk = await newKiosk(store, {
      authorize: (caller, resource) => {
        asked.push([caller, resource]);
        return allowed;
      },
    });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 403, code: 'forbidden' });
    allowed = true;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, text: first.text });
    expect(asked).toEqual(Array(2).fill(['alice', `receipt of ${first.operation}`]));
  });

  it('C23 is not another caller’s', async () => {
    const kiosk = await newKiosk(store, { stock: 200 });
    const key = randomUUID();
    const [hers, his] = [await kiosk.sell({ key }), await kiosk.sell({ key, caller: 'bob' })];
    expect([hers.status, his.status, his.replayed]).toEqual([201, 201, false]);
    expect(kiosk.terminal.charges.size).toBe(2);
  });
});
