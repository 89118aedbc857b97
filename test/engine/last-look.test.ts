import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { SemelError } from '../../lib/protocol/problems.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { cancelWith, passOn } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';
import { setClock } from '../setup/set-clock.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

/** A purse whose second payment is refused for the moment, since it sees the first one's own effect. */
async function payTwice({ clock = setClock(), slow = 0 } = {}) {
  let failing = false;
  const purse = await newPurse(store, {
    clock,
    run: (context, pay) => {
      if (!failing) return pay(context);
      clock.advance(slow);
      throw new SemelError('precondition-failed', 'It is there already.');
    },
  });
  const key = randomUUID();
  const first = await purse.pay({ key });
  failing = true;
  return { purse, first, again: () => purse.pay({ key }) };
}

describe('the look before an answer that is not stored', () => {
  it('R15 is taken again when somebody writes the record just then', async () => {
    const { purse, first, again } = await payTwice();
    purse.store.meddle(cancelWith('TransactionConflict'), cancelWith('TransactionConflict'), passOn);
    expect(await again()).toMatchObject({ status: 201, replayed: true, text: first.text });
    expect(purse.store.calls.slice(1).map(({ name }) => name)).toEqual(Array(3).fill('TransactGetCommand'));
  });

  it("R15 is taken even when the handler used up the request's time", async () => {
    // As the system's clock does: what would abort at once is aborted already.
    const abortAfter = (duration: number) => (duration > 0 ? new AbortController().signal : AbortSignal.abort());
    const { first, again } = await payTwice({ clock: { ...setClock(), abortAfter }, slow: 9_900 });
    expect(await again()).toMatchObject({ status: 201, replayed: true, text: first.text });
  });
});
