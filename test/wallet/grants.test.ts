import { beforeAll, describe, expect, it } from 'vitest';
import { runNatural } from '../../lib/engine/run-natural.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { accountKey } from '../../lib/wallet/account.ts';
import { deleteGrant, putGrant } from '../../lib/wallet/grant.ts';
import { putItem, readItem } from '../setup/items.ts';
import { openKeylessWallet } from './keyless.ts';

let wallet: Awaited<ReturnType<typeof openKeylessWallet>>;
beforeAll(async () => {
  wallet = await openKeylessWallet();
});

const GRANT = '/accounts/{id}/grants/{grantId}';
const creditsOf = async (account: string) => (await readItem(wallet.store, accountKey(account)))?.credits;
const versionOf = async (account: string) => Number((await readItem(wallet.store, accountKey(account)))?.version);

const put = (id: string, grantId: string, credits: unknown, caller = 'alice') =>
  wallet.call(`PUT ${GRANT}`, { params: { id, grantId }, body: { credits }, caller });
const remove = (id: string, grantId: string, caller = 'alice') =>
  wallet.call(`DELETE ${GRANT}`, { params: { id, grantId }, caller });

describe('grants', () => {
  it('R37 are set, not added: once or five times is the same', async () => {
    const account = await wallet.openAccount();
    expect(await put(account, 'g1', 5)).toMatchObject({ status: 201, json: { id: 'g1', account, credits: 5 } });
    for (let again = 0; again < 4; again++) {
      expect(await put(account, 'g1', 5)).toMatchObject({ status: 200, json: { id: 'g1', account, credits: 5 } });
    }
    expect(await creditsOf(account)).toBe(5);
  });

  it('R37 add up over their ids and follow a change of one', async () => {
    const account = await wallet.openAccount();
    await put(account, 'g1', 5);
    await put(account, 'g2', 7);
    expect(await put(account, 'g1', 2)).toMatchObject({ status: 200, json: { credits: 2 } });
    expect(await put(account, 'g3', 0)).toMatchObject({ status: 201 });
    expect(await creditsOf(account)).toBe(9);
  });

  it('R37 go to and fro: the same change is made again, not taken for a resend of the first', async () => {
    const account = await wallet.openAccount();
    for (const credits of [5, 7, 5, 7, 5]) {
      await put(account, 'g1', credits);
      expect(await creditsOf(account)).toBe(credits);
    }
  });

  it('R37 set at once by ten requests count once', async () => {
    const account = await wallet.openAccount();
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(account, 'g1', 5)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(await creditsOf(account)).toBe(5);
  });

  it('R37 deleted twice are 204 twice, and a late PUT meets the tombstone', async () => {
    const account = await wallet.openAccount();
    await put(account, 'g1', 5);
    expect(await remove(account, 'g1')).toMatchObject({ status: 204, text: '' });
    expect(await remove(account, 'g1')).toMatchObject({ status: 204, text: '' });
    expect(await put(account, 'g1', 5)).toMatchObject({ status: 409, code: 'grant-deleted' });
    expect(await creditsOf(account)).toBe(0);
  });

  it('R37 deleted before they were put stay deleted: the PUT was overtaken', async () => {
    const account = await wallet.openAccount();
    expect(await remove(account, 'g1')).toMatchObject({ status: 204 });
    expect(await put(account, 'g1', 5)).toMatchObject({ status: 409, code: 'grant-deleted' });
  });

  it('R37 put and deleted at once end without credits or with a deleted grant', async () => {
    const account = await wallet.openAccount();
    await Promise.all([put(account, 'g1', 5), remove(account, 'g1'), put(account, 'g1', 5), remove(account, 'g1')]);
    expect(await creditsOf(account)).toBe(0);
    expect(await put(account, 'g1', 5)).toMatchObject({ status: 409 });
  });

  it('R35 change the version of their account when they change it', async () => {
    const account = await wallet.openAccount();
    const before = await versionOf(account);
    await put(account, 'g1', 5);
    await put(account, 'g1', 5);
    expect(await versionOf(account)).toBe(before + 1);
  });

  it("R37 are the account's owner's to set", async () => {
    const account = await wallet.openAccount();
    expect(await put(account, 'g1', 5, 'bob')).toMatchObject({ status: 404, code: 'account-not-found' });
    expect(await remove(account, 'g1', 'bob')).toMatchObject({ status: 404, code: 'account-not-found' });
    expect(await put(account, 'g1', 5)).toMatchObject({ status: 201 });
  });

  it.each(['five credits', 'none', 'a tombstone'])(
    'R4 are written under the owner of that moment: %s',
    async (what) => {
      const account = await wallet.openAccount();
      const address = { account, grantId: 'g1', caller: 'alice' };
      const seen = wallet.read.get;
      /** The account changes hands after the look. */
      const get: typeof seen = async (key) => {
        const item = await seen(key);
        if (key.sk === 'account') await putItem(wallet.store, { ...item, caller: 'bob' });
        return item;
      };
      const read = { ...wallet.read, get };
      const plan = () =>
        what === 'a tombstone'
          ? deleteGrant(address, read)
          : putGrant({ ...address, credits: what === 'none' ? 0 : 5 }, read);
      const late = runNatural(wallet.engine, milliseconds(Date.now() + 10_000), plan);
      await expect(late).rejects.toMatchObject({ code: 'account-not-found' });
      expect(await readItem(wallet.store, { pk: accountKey(account).pk, sk: 'grant#g1' })).toBeUndefined();
    },
  );

  it('R37 are whole numbers from 0 to 2^53 − 1, and their sum is too', async () => {
    const account = await wallet.openAccount();
    for (const credits of [-1, 1.5, '5', null, undefined]) {
      expect(await put(account, 'g1', credits), String(credits)).toMatchObject({ status: 400, code: 'invalid-body' });
    }
    expect(await put(account, 'g1', Number.MAX_SAFE_INTEGER)).toMatchObject({ status: 201 });
    expect(await put(account, 'g2', 1)).toMatchObject({ status: 422, code: 'balance-limit' });
    expect(await put(account, 'a b', 1)).toMatchObject({ status: 400 });
  });
});
