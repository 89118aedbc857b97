import type { Reader } from '../protocol/reader.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { queryItems, readItem } from '../store/read-data.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';

/**
 * A handler's Reader of the data table: a read that does not go through is tried again like every store call.
 *
 * @rule R22
 * @param deadline epoch milliseconds after which no further try starts
 * @throws SemelError `store-unavailable`, from each of its methods
 */
export const persistentReader = ({ store, surroundings }: Engine, deadline: Milliseconds): Reader => ({
  async get(key) {
    const { items } = await persist(surroundings, deadline, (signal) => readItem(store, key, signal));
    return items[0];
  },
  async query(query) {
    const { items } = await persist(surroundings, deadline, (signal) => queryItems(store, query, signal));
    return items;
  },
});
