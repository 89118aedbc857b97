import { isPlan, type ReplyDraft } from '../../lib/protocol/plan.ts';
import type { Store } from '../../lib/store/store.ts';
import { newPurse, records } from './purse.ts';
import { WatchedCipher } from './watched-cipher.ts';

export const SECRET = 'sk_once_only';

/** A purse that answers with a secret, in a body as the test says. */
export const newTellingPurse = (
  store: Store,
  storedBody: 'encrypted' | 'omitted',
  {
    body = { secret: SECRET },
    replyCipher = new WatchedCipher(),
  }: { body?: unknown; replyCipher?: WatchedCipher } = {},
) =>
  newPurse(store, {
    storedBody,
    replyCipher,
    run: async (context, pay) => {
      const planned = await pay(context);
      return isPlan(planned) ? { ...planned, reply: { ...planned.reply, body } as ReplyDraft } : planned;
    },
  });

/** All that lies in the table, its bytes as text too. */
export const storedText = async (store: Store) =>
  JSON.stringify(await records(store), (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
