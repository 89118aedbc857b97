import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Authorize } from '../../../lib/engine/answer.ts';
import { MAX_REPLY_BYTES } from '../../../lib/protocol/reply.ts';
import type { Store } from '../../../lib/store/store.ts';
import { declines, isSilent, stalls } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { newKiosk, withoutReserve } from '../../setup/kiosk.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const createdAt = '2026-11-30T12:00:00.000Z';

describe('an operation', () => {
  it('R18 is shown while it runs, over takeovers, and with its reply in the end', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const call = stalls();
    kiosk.terminal.next(isSilent, call.act);
    const { operation: id } = await kiosk.sell({ key });
    expect((await kiosk.look(id)).body).toEqual({ id, status: 'in_progress', attempts: 1, createdAt });
    kiosk.clock.advance(5_000);
    const selling = kiosk.sell({ key });
    await call.reached;
    expect((await kiosk.look(id)).body).toEqual({ id, status: 'in_progress', attempts: 2, createdAt });
    call.letGo();
    const { text: body, headers } = await selling;
    const { status, body: shown, headers: own } = await kiosk.look(id);
    expect([status, own['operation-id']]).toEqual([200, id]);
    const stored = { 'content-type': 'application/json', location: headers.location };
    const reply = { status: 201, headers: stored, body };
    expect(shown).toEqual({ id, status: 'completed', attempts: 2, createdAt, reply });
  });

  it('R16 that was refused shows the refusal', async () => {
    const kiosk = await newKiosk(store);
    kiosk.terminal.next(declines);
    const { operation, text } = await kiosk.sell();
    const { body } = await kiosk.look(operation);
    expect(body).toMatchObject({ status: 'completed', reply: { status: 402, body: text } });
    expect(body.reply.headers).toEqual({ 'content-type': 'application/problem+json' });
  });

  it('R15 that waits for a person says so, and shows no reply', async () => {
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...sale, mostUnknowns: 1 }) });
    kiosk.terminal.next(isSilent);
    const { operation: id } = await kiosk.sell();
    expect((await kiosk.look(id)).body).toEqual({ id, status: 'needs_attention', attempts: 1, createdAt });
  });

  it('R20 whose reply was too large has none to show', async () => {
    const settle = () => ({ status: 201, body: 'x'.repeat(MAX_REPLY_BYTES + 1) });
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...withoutReserve(sale), settle }) });
    const { operation: id } = await kiosk.sell();
    expect((await kiosk.look(id)).body).toEqual({ id, status: 'completed', attempts: 1, createdAt });
  });

  it('R17 that answered with bytes shows them in base64', async () => {
    const settle = () => ({ status: 200, body: new Uint8Array([0, 255, 128]) });
    const kiosk = await newKiosk(store, { operation: (sale) => ({ ...withoutReserve(sale), settle }) });
    const { operation } = await kiosk.sell();
    expect((await kiosk.look(operation)).body.reply.body).toBe('AP+A');
  });

  it('R4 is not found by another caller', async () => {
    const kiosk = await newKiosk(store);
    const { operation } = await kiosk.sell();
    const { status, body } = await kiosk.look(operation, 'bob');
    expect([status, body.type]).toEqual([404, '/problems/operation-not-found']);
  });

  it('R4 whose replay is refused does not show its reply either', async () => {
    const authorize = vi.fn<Authorize>(() => false);
    const kiosk = await newKiosk(store, { authorize });
    const key = randomUUID();
    kiosk.terminal.next(isSilent);
    const { operation } = await kiosk.sell({ key });
    expect((await kiosk.look(operation)).body).toMatchObject({ status: 'in_progress' });
    expect(authorize).not.toHaveBeenCalled();
    await kiosk.sell({ key });
    expect(await kiosk.sell({ key })).toMatchObject({ status: 403, code: 'forbidden' });
    const { status, body, headers } = await kiosk.look(operation);
    expect([status, body.type, body.reply]).toEqual([403, '/problems/forbidden', undefined]);
    expect(headers['operation-id']).toBe(operation);
    // Once by the replay and once by the view, about the same thing.
    const asked = ['alice', `receipt of ${operation}`, kiosk.operation.name];
    expect(authorize.mock.calls).toEqual([asked, asked]);
  });

  it('R4 whose replay is allowed shows its reply', async () => {
    const kiosk = await newKiosk(store, { authorize: async (caller) => caller === 'alice' });
    const { operation } = await kiosk.sell();
    expect((await kiosk.look(operation)).body.reply).toMatchObject({ status: 201 });
  });

  it('R3 is not found by another nonce, nor by anything else', async () => {
    const kiosk = await newKiosk(store);
    const { operation } = await kiosk.sell();
    const [hash, nonce = ''] = operation.split('.');
    const flipped = nonce.startsWith('A') ? `B${nonce.slice(1)}` : `A${nonce.slice(1)}`;
    const wrong = [`${hash}.${flipped}`, `${hash}.`, hash, 'op_', 'op_x.y', `${operation}x`, 'key#1', '%00', '..'];
    for (const id of wrong) {
      const { status, body } = await kiosk.look(String(id));
      expect([id, status, body.type]).toEqual([id, 404, '/problems/operation-not-found']);
    }
    expect((await kiosk.look(operation)).status).toBe(200);
  });

  it('R8 of an earlier use of the key is not found once the key was used again', async () => {
    const kiosk = await newKiosk(store, { stock: 200 });
    const key = randomUUID();
    const { operation } = await kiosk.sell({ key });
    kiosk.clock.advance(86_400_000);
    const { operation: next } = await kiosk.sell({ key });
    expect([(await kiosk.look(operation)).status, (await kiosk.look(next)).status]).toEqual([404, 200]);
  });
});
