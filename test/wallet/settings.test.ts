import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../lib/engine/engine.ts';
import { runNatural } from '../../lib/engine/run-natural.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import { accountKey, showAccount } from '../../lib/wallet/account.ts';
import { matchesEtag } from '../../lib/wallet/if-match.ts';
import { putSettings } from '../../lib/wallet/settings.ts';
import { readItem } from '../setup/items.ts';
import { meddledStore } from '../setup/meddled-store.ts';
import { setClock } from '../setup/set-clock.ts';
import { openKeylessWallet } from './keyless.ts';

let wallet: Awaited<ReturnType<typeof openKeylessWallet>>;
beforeAll(async () => {
  wallet = await openKeylessWallet();
});

const put = (id: string, displayName: unknown, ifMatch?: string, caller = 'alice') =>
  wallet.call('PUT /accounts/{id}/settings', {
    ...{ params: { id }, body: { displayName }, caller },
    headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
  });
const nameOf = async (account: string) => (await readItem(wallet.store, accountKey(account)))?.displayName;

describe('settings', () => {
  it('R35 change in the version that was seen, and give the next', async () => {
    const account = await wallet.openAccount();
    const first = await put(account, 'Savings', '"1"');
    expect(first).toMatchObject({ status: 200, etag: '"2"', json: { displayName: 'Savings' } });
    expect(await put(account, 'Holiday', first.etag)).toMatchObject({ status: 200, etag: '"3"' });
    expect(await nameOf(account)).toBe('Holiday');
  });

  it('R35 are seen on the account, so that who heard no answer can look', async () => {
    const account = await wallet.openAccount();
    await put(account, 'Savings', '"1"');
    const shown = await showAccount(account, 'alice', wallet.read);
    expect(shown).toMatchObject({ headers: { etag: '"2"' }, body: { displayName: 'Savings', version: 2 } });
  });

  it('R35 are 412 for a version that is over, and 428 without one', async () => {
    const account = await wallet.openAccount();
    await put(account, 'Savings', '"1"');
    expect(await put(account, 'Late', '"1"')).toMatchObject({ status: 412, code: 'precondition-failed' });
    expect(await put(account, 'Blind')).toMatchObject({ status: 428, code: 'precondition-required' });
    expect(await nameOf(account)).toBe('Savings');
  });

  it('R35 of ten changes at once take one', async () => {
    const account = await wallet.openAccount();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => put(account, `Name ${index}`, '"1"')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
  });

  it('R35 are 412 for a change that comes between the look and the write', async () => {
    const account = await wallet.openAccount();
    const store = meddledStore(wallet.store);
    const engine = createEngine({ store, surroundings: setClock() });
    const input = { account, caller: 'alice', displayName: 'Late', ifMatch: ['"1"'] };
    store.meddle(async ({ send }) => {
      await put(account, 'Early', '"1"');
      return send();
    });
    const late = runNatural(engine, milliseconds(Date.UTC(2027, 0)), () => putSettings(input, wallet.read));
    await expect(late).rejects.toMatchObject({ code: 'precondition-failed' });
    expect(await nameOf(account)).toBe('Early');
  });

  it('R35 are stale once money or credits moved', async () => {
    const account = await wallet.openAccount();
    const params = { id: account, grantId: 'g1' };
    await wallet.call('PUT /accounts/{id}/grants/{grantId}', { params, body: { credits: 5 } });
    expect(await put(account, 'Savings', '"1"')).toMatchObject({ status: 412 });
  });

  it('R35 take a list and a star, and no weak tag', async () => {
    const account = await wallet.openAccount();
    expect(await put(account, 'One', 'W/"1"')).toMatchObject({ status: 412 });
    expect(await put(account, 'One', '"0", "1"')).toMatchObject({ status: 200 });
    expect(await put(account, 'Two', '*')).toMatchObject({ status: 200, etag: '"3"' });
    expect(await put(account, 'Three', '3')).toMatchObject({ status: 412 });
  });

  it.each([
    ...['abc*', '5*', '*5', 'W/*', '"1"*', '*"1"', 'junk *', '* *', '*, *', '*, "1"', '"1", *', '"1" "1"', '1', "'1'"],
    ...['w/"1"', 'W/ "1"', '"1', '1"', '""1""', '"1";q=1', '"1",junk', '"1"\u0000', '', ',', ' , '],
  ])('R35 are 412 for If-Match: %j, which names no version', async (ifMatch) => {
    const account = await wallet.openAccount();
    expect(await put(account, 'Clobbered', ifMatch)).toMatchObject({ status: 412, code: 'precondition-failed' });
    expect(await nameOf(account)).toBeUndefined();
  });

  it.each(['*', ' * ', '"1"', '"0","1"', '"0" , "1"', ', "1",,', 'W/"1", "1"', '"a,b", "1"', '"", "1"', '"é", "1"'])(
    'R35 take If-Match: %j',
    async (ifMatch) => {
      const account = await wallet.openAccount();
      expect(await put(account, 'Seen', ifMatch)).toMatchObject({ status: 200, etag: '"2"' });
    },
  );

  it('R35 read a very long If-Match in no time', async () => {
    const started = performance.now();
    for (const part of ['"1', ' ', ',', '"1",', 'W/', '"1" ']) {
      expect(matchesEtag([`${part.repeat(100_000)}x`], '"1"')).toBeUndefined();
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('R35 are told when If-Match is malformed, and not that the account changed', async () => {
    const account = await wallet.openAccount();
    expect((await put(account, 'Name', '1')).json.detail).toBe(
      'If-Match is neither * nor a list of entity tags such as "1", so it matches no version.',
    );
    expect((await put(account, 'Name', '"0"')).json.detail).toBe(
      'The account is at "1" by now. Read it again before you change it.',
    );
  });

  it("R35 are the account's owner's to change", async () => {
    const account = await wallet.openAccount();
    expect(await put(account, 'Mine', '"1"', 'bob')).toMatchObject({ status: 404, code: 'account-not-found' });
    expect(await put(account, '', '"1"')).toMatchObject({ status: 400, code: 'invalid-body' });
  });
});
