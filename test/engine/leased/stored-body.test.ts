import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../../../lib/engine/engine.ts';
import { leasedConsumer } from '../../../lib/queue/leased-consumer.ts';
import { reconciler } from '../../../lib/schedule/reconciler.ts';
import type { Store } from '../../../lib/store/store.ts';
import { declines, doesSilently } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { lambdaContext } from '../../setup/http-event.ts';
import { lookAt, newKiosk, type SaleOperation, withoutReserve } from '../../setup/kiosk.ts';
import { loseResponse, passOn } from '../../setup/meddled-store.ts';
import { WatchedCipher } from '../../setup/watched-cipher.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const hinted = { 'Idempotency-Attempt': '2' };

const keeping =
  (storedBody: 'encrypted' | 'omitted', change: (sale: SaleOperation) => SaleOperation = (sale) => sale) =>
  (sale: SaleOperation): SaleOperation => ({ ...change(sale), storedBody });

const newVault = async (change?: (sale: SaleOperation) => SaleOperation) => {
  const replyCipher = new WatchedCipher();
  return { replyCipher, ...(await newKiosk(store, { operation: keeping('encrypted', change), replyCipher })) };
};

describe('a body that is left out', () => {
  it('R20 is answered once; a retry gets 410 with the operation, and the call is made once', async () => {
    const kiosk = await newKiosk(store, { operation: keeping('omitted') });
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(first).toMatchObject({ status: 201, text: expect.stringContaining('receipt') });
    const again = await kiosk.sell({ key });
    expect(again).toMatchObject({ status: 410, code: 'reply-not-kept', operation: first.operation });
    expect(kiosk.terminal.asked).toEqual(['charge 1']);
    expect(await kiosk.shelf()).toEqual({ unsold: 0, held: 0, sold: 100 });
    expect(await kiosk.record()).not.toHaveProperty('reply');
  });

  it('R20 is shown by its status and headers', async () => {
    const kiosk = await newKiosk(store, { operation: keeping('omitted') });
    const { operation, headers } = await kiosk.sell();
    const stored = { 'content-type': 'application/json', location: headers.location };
    expect((await kiosk.look(operation)).body).toMatchObject({ status: 'completed' });
    expect((await kiosk.look(operation)).body.reply).toEqual({ status: 201, headers: stored });
  });

  it('R20 leaves status and headers with the record although it was too large to be kept', async () => {
    const large = (sale: SaleOperation): SaleOperation => ({
      ...sale,
      settle: () => ({ status: 201, headers: { Location: '/sales/1' }, body: 'x'.repeat(262_145) }),
    });
    const kiosk = await newKiosk(store, { operation: keeping('omitted', large) });
    const key = randomUUID();
    const { status, operation, text } = await kiosk.sell({ key });
    expect([status, text.length]).toEqual([201, 262_145]);
    expect((await kiosk.look(operation)).body.reply).toMatchObject({ status: 201, headers: { location: '/sales/1' } });
    const again = await kiosk.sell({ key });
    expect(again).toMatchObject({ status: 410, code: 'reply-not-kept' });
    expect(again.text).toContain('answered 201');
  });

  it.each([
    ['an own write', withoutReserve],
    ['a transaction', (sale: SaleOperation) => sale],
  ])('R10 is still answered when the response to its booking was lost: %s', async (_, change) => {
    const kiosk = await newKiosk(store, { operation: keeping('omitted', change) });
    kiosk.store.meddle(passOn, loseResponse);
    expect(await kiosk.sell()).toMatchObject({ status: 201, replayed: false });
  });

  it('R16 is that of a success: a refusal is kept and replayed', async () => {
    const kiosk = await newKiosk(store, { operation: keeping('omitted') });
    kiosk.terminal.next(declines);
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
  });
});

describe('a body that is encrypted', () => {
  it('R17 is replayed with the first status, headers and bytes', async () => {
    const kiosk = await newVault();
    const key = randomUUID();
    const first = await kiosk.sell({ key });
    const again = await kiosk.newEnvironment().sell({ key });
    expect(again.headers).toEqual({ ...first.headers, 'idempotent-replayed': 'true' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(await kiosk.record()).not.toHaveProperty('reply');
  });

  it('R17 is shown decrypted, and where there is no cipher by its status and headers', async () => {
    const kiosk = await newVault();
    const { operation, text } = await kiosk.sell();
    const { headers, ...shown } = (await lookAt(createEngine({ store }), operation, 'alice')).body.reply;
    expect([Object.keys(headers), shown]).toEqual([expect.arrayContaining(['location']), { status: 201 }]);
    expect((await kiosk.look(operation)).body.reply).toMatchObject({ status: 201, body: text });
    kiosk.replyCipher.down = true;
    expect((await kiosk.look(operation)).status).toBe(503);
  });

  it('R21 whose key is out of reach is 503 before anything is claimed or called', async () => {
    const kiosk = await newVault();
    kiosk.replyCipher.down = true;
    const key = randomUUID();
    const failed = await kiosk.sell({ key });
    expect(failed).toMatchObject({ status: 503, code: 'cipher-unavailable' });
    expect([await kiosk.records(), kiosk.terminal.asked]).toEqual([[], []]);
    kiosk.replyCipher.down = false;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: false });
  });

  it('R14 is booked although the key store goes away during the call', async () => {
    const kiosk = await newVault();
    kiosk.terminal.next(async (_, charge) => {
      kiosk.replyCipher.down = true;
      return charge();
    });
    expect(await kiosk.sell()).toMatchObject({ status: 201 });
    expect([await kiosk.shelf(), (await kiosk.record()).status]).toEqual([
      { unsold: 0, held: 0, sold: 100 },
      'completed',
    ]);
  });

  it('R11 that cannot be encrypted after the call leaves the outcome to the next attempt', async () => {
    const kiosk = await newVault();
    kiosk.replyCipher.broken = true;
    const key = randomUUID();
    expect(await kiosk.sell({ key })).toMatchObject({ status: 503, code: 'outcome-unknown' });
    kiosk.replyCipher.broken = false;
    kiosk.clock.advance(5_000);
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201 });
    expect(kiosk.terminal.asked).toEqual(['charge 1', 'find 2']);
  });

  it('R11 whose key is out of reach at a takeover loses no outcome: the next one books it', async () => {
    const kiosk = await newVault();
    const key = randomUUID();
    await kiosk.sellAndDie(key, { done: true });
    kiosk.replyCipher.down = true;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 409, code: 'request-in-flight' });
    expect(await kiosk.sell({ key, headers: hinted })).toMatchObject({ status: 503, code: 'cipher-unavailable' });
    expect(await kiosk.reconcile()).toEqual({ unknown: 1 });
    expect(await kiosk.record()).toMatchObject({ status: 'in_progress', unknowns: 0 });
    kiosk.replyCipher.down = false;
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201 });
    expect([kiosk.terminal.charges.size, kiosk.terminal.asked]).toEqual([1, ['charge 1', 'find 4']]);
  });

  it('R11 is encrypted by the reconciler, and replayed to the client that comes back', async () => {
    const kiosk = await newVault();
    kiosk.terminal.next(doesSilently);
    const key = randomUUID();
    await kiosk.sell({ key });
    kiosk.clock.advance(60_000);
    expect(await kiosk.reconcile()).toEqual({ settled: 1 });
    expect(await kiosk.record()).toHaveProperty('encryptedReply');
    expect(await kiosk.sell({ key })).toMatchObject({ status: 201, replayed: true });
  });

  it('R11 keeps a consumer and a reconciler from starting whose engine has no cipher', async () => {
    const { operation } = await newVault();
    const engine = createEngine({ store });
    const consumer = { consumer: 'sales', body: z.object({ amount: z.int() }), engine, operation };
    expect(() => leasedConsumer({ ...consumer, intent: (body) => body })).toThrow('has no replyCipher');
    const run = reconciler([operation], () => engine)({}, lambdaContext());
    await expect(run).rejects.toThrow('has no replyCipher');
  });

  it('R10 whose booking was lost and sent again is answered as the first', async () => {
    const kiosk = await newVault();
    kiosk.store.meddle(passOn, loseResponse);
    expect(await kiosk.sell()).toMatchObject({ status: 201, replayed: false });
    expect(kiosk.replyCipher.asked).toEqual(['prepare']);
  });
});
