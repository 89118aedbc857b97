import fc from 'fast-check';
import { advanceMark, parkNumbers } from '../../lib/store/advance-mark.ts';
import { readInbox } from '../../lib/store/inbox-item.ts';
import { SIGNAL, type StoreCall } from './store-call.ts';

const owner = fc.constantFrom('A', 'B');
const small = fc.integer({ min: 0, max: 5 });
const sender = fc.constantFrom('s1', 's2');
const inboxOf = (run: string, name: string) => ({ pk: `inbox#${run}-${name}` });
const sum = fc.record({
  name: fc.constantFrom('x', 'y'),
  add: fc.integer({ min: -3, max: 3 }),
  least: fc.constant(-4),
  most: small,
});

/** Calls on the inboxes of two senders. */
export const INBOX_CALLS: readonly fc.Arbitrary<StoreCall>[] = [
  fc
    .record({
      name: sender,
      ownerToken: owner,
      from: fc.constantFrom(0, 0, 1, 2),
      run: fc.integer({ min: 1, max: 3 }),
      sums: fc.uniqueArray(sum, { selector: ({ name }) => name, maxLength: 2 }),
      state: fc.constantFrom(undefined, { n: 1 }, 'text', null),
    })
    .map(({ name, from, run: length, ...advance }) => ({ store, run }) => {
      const applied = Array.from({ length }, (_, index) => from + 1 + index);
      return advanceMark(store, { key: inboxOf(run, name), from, to: from + length, applied, ...advance }, SIGNAL);
    }),
  fc
    .tuple(
      sender,
      fc.constantFrom(0, 0, 1, 2),
      fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }),
    )
    .map(
      ([name, last, numbers]) =>
        ({ store, run }) =>
          parkNumbers(store, { key: inboxOf(run, name), last, numbers }, SIGNAL),
    ),
  sender.map(
    (name) =>
      ({ store, run }) =>
        readInbox(store, inboxOf(run, name), SIGNAL),
  ),
];
