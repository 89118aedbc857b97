import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { HeldRecord } from '../../../lib/engine/held-record.ts';
import { completedRecord } from '../../../lib/engine/new-record.ts';
import { declined, notBegun, unknown } from '../../../lib/protocol/outside-call.ts';
import { SemelError } from '../../../lib/protocol/problems.ts';
import type { InProgressRecord } from '../../../lib/protocol/record.ts';
import { hours, milliseconds } from '../../../lib/protocol/time.ts';
import type { Store } from '../../../lib/store/store.ts';
import { type Act, stalls, succeeds } from '../../setup/card-terminal.ts';
import { freshStore } from '../../setup/fresh-store.ts';
import { type Kiosk, newKiosk, withoutReserve } from '../../setup/kiosk.ts';
import type { passOn } from '../../setup/meddled-store.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

/** An attempt that outlives its lease in the middle of its call, and one that comes after it. */
async function zombie(kiosk: Kiosk, key: string, act: Act) {
  const call = stalls({ act });
  kiosk.terminal.next(call.act);
  const environment = kiosk.newEnvironment();
  const answer = environment.sell({ key });
  await call.reached;
  kiosk.clock.advance(12_000);
  const before = environment.store.calls.length;
  return {
    /** Wakes it up. @returns what it answers, and the writes that DynamoDB took from it */
    wake: async () => {
      const written: string[] = [];
      const note = async ({ name, send }: Parameters<typeof passOn>[0]) => {
        const done = await send();
        if (!/Get|Query/.test(name)) written.push(name);
        return done;
      };
      environment.store.meddle(...Array(20).fill(note));
      call.letGo();
      const reply = await answer;
      return { reply, written, tried: environment.store.calls.slice(before) };
    },
  };
}

const ENDINGS: [string, Act][] = [
  ['success', succeeds],
  ['refusal', async () => declined('Too late.')],
  ['failure', async () => unknown(new Error('late'))],
  ['throw', () => Promise.reject(new Error('late'))],
  ['clean failure', async () => notBegun(new SemelError('forbidden', 'Late.'))],
];

describe('a zombie', () => {
  it.each(ENDINGS)('C15 whose late %s comes after another one completed leaves its record alone', async (_, late) => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await zombie(kiosk, key, late);
    const winner = await kiosk.sell({ key });
    const [record, shelf] = [await kiosk.record(), await kiosk.shelf()];
    const { reply, written, tried } = await first.wake();
    expect(reply).toMatchObject({ status: 201, replayed: true, text: winner.text, operation: winner.operation });
    expect([written, tried.length]).toEqual([[], 1]);
    expect([await kiosk.record(), await kiosk.shelf()]).toEqual([record, shelf]);
  });

  it.each(ENDINGS)('C15 whose late %s comes while another one runs leaves its record alone', async (_, late) => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await zombie(kiosk, key, late);
    const second = await zombie(kiosk, key, succeeds);
    kiosk.clock.advance(-12_000);
    const record = await kiosk.record();
    const { reply, written } = await first.wake();
    expect(reply).toMatchObject({ status: 409, code: 'request-in-flight' });
    expect(written).toEqual([]);
    expect(await kiosk.record()).toEqual(record);
    expect((await second.wake()).reply).toMatchObject({ status: 201, replayed: false });
    expect((await kiosk.shelf()).sold).toBe(100);
  });

  it('R12 learns at its checkpoint that it is one, and does nothing more', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const seen: unknown[] = [];
    const first = await zombie(kiosk, key, async (phase, charge) => {
      await phase.checkpoint('late', { effects: [] }).catch((error: unknown) => {
        seen.push(error);
        throw error;
      });
      return charge();
    });
    const winner = await kiosk.sell({ key });
    const { reply, written } = await first.wake();
    expect(reply).toMatchObject({ status: 201, replayed: true, text: winner.text });
    expect(seen).toMatchObject([{ name: 'LeaseLost', record: { status: 'completed' } }]);
    expect([written, kiosk.terminal.asked]).toEqual([[], ['charge 1', 'find 2', 'charge 2']]);
  });

  it('R12 that takes no notice of it commits nothing all the same', async () => {
    const kiosk = await newKiosk(store);
    const key = randomUUID();
    const first = await zombie(kiosk, key, async (phase, charge) => {
      await phase.extend(milliseconds(60_000)).catch(() => undefined);
      return charge();
    });
    const winner = await kiosk.sell({ key });
    const record = await kiosk.record();
    const { reply, written } = await first.wake();
    expect(reply).toMatchObject({ status: 201, replayed: true, text: winner.text });
    expect([written, await kiosk.record()]).toEqual([[], record]);
  });
});

describe('a held record', () => {
  async function heldByKiosk() {
    const kiosk = await newKiosk(store, { operation: withoutReserve });
    const call = stalls();
    kiosk.terminal.next(call.act);
    void kiosk.sell();
    await call.reached;
    const record = (await kiosk.record()) as InProgressRecord;
    const held = new HeldRecord(kiosk.engine, record, milliseconds(kiosk.clock.now() + 9_500));
    const ended = (body: string) =>
      completedRecord(record, {
        kept: { reply: { status: 201, headers: {}, body } },
        now: kiosk.clock.now(),
        retention: hours(1),
        resource: undefined,
      });
    return { kiosk, held, record, ended };
  }

  it('C53 that its owner completes twice, differently, keeps the first reply', async () => {
    const { kiosk, held, ended } = await heldByKiosk();
    expect(await held.complete(ended('first'))).toEqual({ kind: 'written' });
    const first = await kiosk.record();
    expect(await held.complete(ended('second'))).toEqual({ kind: 'lost', record: first });
    expect(await kiosk.record()).toMatchObject({ status: 'completed', reply: { body: 'first' } });
  });

  it('C53 that is completed stays so, whatever its owner does next', async () => {
    const { kiosk, held, ended } = await heldByKiosk();
    await held.complete(ended('first'));
    const first = await kiosk.record();
    await expect(held.checkpoint('late', undefined, [])).rejects.toMatchObject({ name: 'LeaseLost', record: first });
    await expect(held.extend(milliseconds(1_000))).rejects.toThrow('taken this operation over');
    expect(await held.lapse(milliseconds(0))).toEqual({ kind: 'lost', record: first });
    expect(await held.release()).toEqual({ kind: 'met', record: first });
    expect(await kiosk.record()).toEqual(first);
  });

  it('R12 is written under its owner token and its status, however it is written', async () => {
    const { kiosk, held, record, ended } = await heldByKiosk();
    const before = kiosk.store.calls.length;
    await held.extend(milliseconds(1_000));
    await held.checkpoint('p', { a: 1 }, []);
    await held.lapse(milliseconds(0));
    await held.complete(ended('first'));
    await held.release();
    const fences = kiosk.store.calls.slice(before).map(({ name, input }) => [name, input]);
    expect(fences.map(([name]) => name)).toEqual([...Array(4).fill('PutCommand'), 'DeleteCommand']);
    for (const [, input] of fences) {
      expect(input).toMatchObject({
        ConditionExpression: 'ownerToken = :owner AND #status = :inProgress',
        ExpressionAttributeValues: { ':owner': record.ownerToken, ':inProgress': 'in_progress' },
      });
    }
  });
});
