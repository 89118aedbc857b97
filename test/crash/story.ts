import type { ClientHistory } from './client.ts';
import type { Scenario } from './explorer.ts';
import { violation } from './harm.ts';
import { seededWorld, type World } from './world.ts';

/** Runs clients against a seeded world; what they saw, and what is left, is checked when all is still. */
export function story(
  name: string,
  budget: Scenario['budget'],
  begin: (world: World) => readonly Promise<ClientHistory>[],
  check: (world: World, histories: readonly ClientHistory[]) => readonly string[],
): Scenario {
  return {
    name,
    budget,
    start: (scheduler) => {
      const world = seededWorld(scheduler);
      const histories: ClientHistory[] = [];
      const broken: string[] = [];
      for (const client of begin(world)) {
        client.then(
          (history) => histories.push(history),
          (error: unknown) => broken.push(`something threw: ${String(error)}`),
        );
      }
      return () => [...broken, ...world.violations.map(named), ...check(world, histories)];
    },
  };
}

/** What the world saw at some commit is about its books, unless it says otherwise. */
const named = (text: string): string => (text.startsWith('accounts hold') ? violation('money', text) : text);

/** Nobody waits for an answer: a reconciler, a consumer. */
export const UNSEEN: ClientHistory = { answers: [], last: undefined };
