import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { loseResponse } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';
import { newTellingPurse, SECRET, storedText } from '../setup/telling-purse.ts';
import { WatchedCipher } from '../setup/watched-cipher.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

const hinted = { 'Idempotency-Attempt': '2' };

describe('a body that is encrypted', () => {
  it.each([
    ['an object', { secret: SECRET }],
    ['a text', `${SECRET} München €`],
    ['a text with a byte order mark', '\uFEFFid;name'],
    ['an empty text', ''],
    ['bytes', new Uint8Array([0, 255, 128, 10])],
    ['nothing', undefined],
  ])('R17 is replayed with the same status, headers and bytes: %s', async (_, body) => {
    const purse = await newTellingPurse(store, 'encrypted', { body });
    const key = randomUUID();
    const first = await purse.pay({ key });
    for (const headers of [{}, hinted]) {
      purse.restart();
      const again = await purse.pay({ key, headers });
      expect(again.headers).toEqual({ ...first.headers, 'idempotent-replayed': 'true' });
      expect([again.status, again.text]).toEqual([201, first.text]);
    }
    expect(await purse.balance()).toBe(0);
  });

  it('R17 lies in the table as a ciphertext, beside its status and headers', async () => {
    const purse = await newTellingPurse(store, 'encrypted');
    const { operation, headers } = await purse.pay();
    expect(await purse.record(operation)).toMatchObject({
      encryptedReply: { status: 201, headers: { location: headers.location }, bodyIs: 'text' },
    });
    expect(await purse.record(operation)).not.toHaveProperty('reply');
    expect(await storedText(store)).not.toContain(SECRET);
  });

  it('R16 may be that of a refusal, too', async () => {
    const purse = await newPurse(store, { storedBody: 'encrypted', replyCipher: new WatchedCipher(), balance: 1 });
    const key = randomUUID();
    const first = await purse.pay({ key });
    expect(await purse.pay({ key })).toMatchObject({ status: 402, replayed: true, text: first.text });
    expect(await purse.record(first.operation)).not.toHaveProperty('reply');
  });

  it('R10 is answered without being decrypted when the response to its record was lost', async () => {
    const replyCipher = new WatchedCipher();
    const purse = await newTellingPurse(store, 'encrypted', { replyCipher });
    purse.store.meddle(loseResponse, ({ input, send }) => {
      input.ClientRequestToken = randomUUID();
      return send();
    });
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
    expect(replyCipher.asked).toEqual(['prepare']);
  });

  it('R21 that cannot be encrypted is 503 before anything is written, and the key stays usable', async () => {
    const replyCipher = new WatchedCipher();
    const purse = await newTellingPurse(store, 'encrypted', { replyCipher });
    const key = randomUUID();
    replyCipher.down = true;
    const failed = await purse.pay({ key });
    expect(failed).toMatchObject({ status: 503, code: 'cipher-unavailable' });
    expect([failed.headers['retry-after'], await purse.balance()]).toEqual(['1', 100]);
    replyCipher.down = false;
    expect(await purse.pay({ key })).toMatchObject({ status: 201, replayed: false });
  });

  it('R7 is compared first: another request under the key is 422, key store or not', async () => {
    const replyCipher = new WatchedCipher();
    const purse = await newTellingPurse(store, 'encrypted', { replyCipher });
    const key = randomUUID();
    await purse.pay({ key, body: { amount: 1 } });
    replyCipher.down = true;
    expect(await purse.pay({ key, body: { amount: 2 } })).toMatchObject({ status: 422 });
  });

  it('R21 that cannot be decrypted is 503, is not run again, and is replayed later', async () => {
    const replyCipher = new WatchedCipher();
    const purse = await newTellingPurse(store, 'encrypted', { replyCipher });
    const key = randomUUID();
    const first = await purse.pay({ key, body: { amount: 10 } });
    replyCipher.down = true;
    for (const headers of [{}, hinted]) {
      const failed = await purse.pay({ key, body: { amount: 10 }, headers });
      expect(failed).toMatchObject({ status: 503, code: 'cipher-unavailable' });
      expect(JSON.parse(failed.text)).toMatchObject({ retryable: true });
    }
    expect((await purse.pay({ key, body: { amount: 10 }, headers: hinted })).operation).toBe(first.operation);
    replyCipher.down = false;
    expect(await purse.pay({ key, body: { amount: 10 } })).toMatchObject({ replayed: true, text: first.text });
    expect(await purse.balance()).toBe(90);
  });

  it('R3 is not replayed from another operation, into whose record it was moved', async () => {
    const purse = await newTellingPurse(store, 'encrypted');
    const key = randomUUID();
    const mine = await purse.record((await purse.pay({ key, body: { amount: 1 } })).operation);
    const theirs = await purse.record((await purse.pay({ body: { amount: 1 }, caller: 'bob' })).operation);
    const moved = { ':reply': 'encryptedReply' in theirs ? theirs.encryptedReply : undefined };
    await purse.rewrite(mine.pk, 'SET encryptedReply = :reply, #status = #status', moved);
    expect(await purse.pay({ key, body: { amount: 1 } })).toMatchObject({ status: 503, code: 'cipher-unavailable' });
  });

  it('R4 is not decrypted for a caller who may no longer see it', async () => {
    const replyCipher = new WatchedCipher();
    let allowed = true;
    const purse = await newPurse(store, { storedBody: 'encrypted', replyCipher, authorize: () => allowed });
    const key = randomUUID();
    await purse.pay({ key });
    allowed = false;
    expect(await purse.pay({ key, headers: hinted })).toMatchObject({ status: 403 });
    expect(replyCipher.asked).toEqual(['prepare']);
  });

  it('R17 is replayed after the operation has gone back to whole bodies', async () => {
    const replyCipher = new WatchedCipher();
    const key = randomUUID();
    const before = await newPurse(store, { storedBody: 'encrypted', replyCipher });
    const first = await before.pay({ key });
    const after = await newPurse(store, { replyCipher });
    expect(await after.pay({ key })).toMatchObject({ replayed: true, text: first.text });
  });

  it('keeps a function from starting whose engine has no cipher', async () => {
    await expect(newPurse(store, { storedBody: 'encrypted' })).rejects.toThrow('has no replyCipher');
  });
});

it('R17 a whole body needs no cipher', async () => {
  const replyCipher = new WatchedCipher();
  const purse = await newPurse(store, { replyCipher });
  const key = randomUUID();
  await purse.pay({ key });
  expect([(await purse.pay({ key })).replayed, replyCipher.asked]).toEqual([true, []]);
});
