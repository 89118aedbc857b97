import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../lib/protocol/plan.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { cancelWith, loseResponse } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';
import { newTellingPurse, SECRET, storedText } from '../setup/telling-purse.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const hinted = { 'Idempotency-Attempt': '2' };

describe('a body that is left out', () => {
  it('R20 is answered once; a retry gets 410 with the operation, and the effect is there once', async () => {
    const purse = await newTellingPurse(store, 'omitted');
    const key = randomUUID();
    const first = await purse.pay({ key, body: { amount: 10 } });
    expect(first).toMatchObject({ status: 201, replayed: false, text: `{"secret":"${SECRET}"}` });
    for (const headers of [{}, hinted]) {
      const again = await purse.pay({ key, body: { amount: 10 }, headers });
      expect(again).toMatchObject({ status: 410, code: 'reply-not-kept', operation: first.operation });
      expect(JSON.parse(again.text)).toMatchObject({ retryable: false, operation: first.operation });
      expect(JSON.parse(again.text).detail).toContain('answered 201');
    }
    expect([await purse.balance(), purse.counted]).toEqual([90, ['new', 'replayed', 'replayed']]);
    expect(await storedText(store)).not.toContain(SECRET);
  });

  it('R20 leaves status and headers with the record', async () => {
    const purse = await newTellingPurse(store, 'omitted');
    const { operation, headers } = await purse.pay();
    const record = await purse.record(operation);
    const stored = { 'content-type': 'application/json', location: headers.location };
    expect(record).toMatchObject({ status: 'completed', replyHead: { status: 201, headers: stored } });
    expect(record).not.toHaveProperty('reply');
  });

  it('R7 belongs to its request: another one under the key is 422', async () => {
    const purse = await newTellingPurse(store, 'omitted');
    const key = randomUUID();
    await purse.pay({ key, body: { amount: 1 } });
    expect(await purse.pay({ key, body: { amount: 2 } })).toMatchObject({ status: 422 });
  });

  it('R4 is not told of to a caller who may no longer see it', async () => {
    let allowed = true;
    const purse = await newPurse(store, { storedBody: 'omitted', authorize: () => allowed });
    const key = randomUUID();
    await purse.pay({ key });
    allowed = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('R10 is still answered when the response to its record was lost', async () => {
    const purse = await newTellingPurse(store, 'omitted');
    purse.store.meddle(loseResponse, ({ input, send }) => {
      input.ClientRequestToken = randomUUID();
      return send();
    });
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false, text: `{"secret":"${SECRET}"}` });
    expect(await purse.balance()).toBe(0);
  });

  it('R10 is not told by a plan other than the one that was committed, late', async () => {
    const purse = await newPurse(store, {
      storedBody: 'omitted',
      run: async (context, pay) => {
        const { effects } = (await pay(context)) as Plan;
        const reply = { status: 201, body: { secret: context.operation.round } };
        return { effects: effects.map((effect) => ({ ...effect, refuse: () => undefined })), reply };
      },
    });
    let late: Promise<unknown> | undefined;
    purse.store.meddle(
      async (call) => {
        late = call.send();
        await cancelWith('None', 'ConditionalCheckFailed')(call);
      },
      async ({ send }) => {
        await late;
        return send();
      },
    );
    expect(await purse.pay()).toMatchObject({ status: 410, code: 'reply-not-kept' });
    expect(await purse.balance()).toBe(0);
  });

  it('R16 is that of a success: a refusal is kept and replayed', async () => {
    const purse = await newPurse(store, { storedBody: 'omitted', balance: 1 });
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(first).toMatchObject({ status: 402, code: 'insufficient-funds' });
    expect(await purse.pay({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
  });

  it('R17 is nothing where there is none: the reply is replayed', async () => {
    const purse = await newPurse(store, { storedBody: 'omitted', run: () => ({ status: 204 }) });
    const key = randomUUID();
    await purse.pay({ key });
    expect(await purse.pay({ key })).toMatchObject({ status: 204, replayed: true, text: '' });
  });
});
