import { ACKNOWLEDGE, type Approach, effectThenMemory } from './consumer.ts';

/** Every id is remembered for ever, in another place than the effect. */
export const idSet: Approach = {
  name: 'id set',
  start() {
    const seen = new Set<string>();
    let bytes = 0;
    const remember = (id: string) => () => {
      seen.add(id);
      bytes += id.length;
    };
    return {
      receive: ({ id }) => (seen.has(id) ? ACKNOWLEDGE : effectThenMemory(remember(id))),
      memory: () => bytes,
    };
  },
};
