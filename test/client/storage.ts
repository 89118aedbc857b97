import type { KeyStorage } from '../../lib/client/intent-keys.ts';

/** What an app would give: synchronous as `localStorage`, or slow as a database. */
export function storage(delay?: number): KeyStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  const slowly = <T>(work: () => T): T | Promise<T> =>
    delay === undefined ? work() : new Promise((later) => setTimeout(() => later(work()), delay));
  return {
    items,
    getItem: (name) => slowly(() => items.get(name) ?? null),
    setItem: (name, value) => slowly(() => items.set(name, value)),
    removeItem: (name) => slowly(() => items.delete(name)),
  };
}
