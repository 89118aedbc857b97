import { type Approach, effectThenMemory } from './consumer.ts';

/** Whatever arrives is applied. */
export const noDedupe: Approach = {
  name: 'no dedupe',
  start: () => ({ receive: () => effectThenMemory(() => {}), memory: () => 0 }),
};
