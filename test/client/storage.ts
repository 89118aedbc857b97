import type { KeyStorage } from '../../lib/client/intent-keys.ts';

/** What an app would give: synchronous as `localStorage`, or slow as a database. */
export function storage(delay?: number): KeyStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  const answer = <T>(value: T): T | Promise<T> =>
    delay === undefined ? value : new Promise((later) => setTimeout(() => later(value), delay));
  return {
    items,
    getItem: (name) => answer(items.get(name) ?? null),
    setItem: (name, value) => answer(items.set(name, value)),
    removeItem: (name) => answer(items.delete(name)),
  };
}
