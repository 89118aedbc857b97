import { ACKNOWLEDGE, type Approach, effectThenMemory } from './consumer.ts';

const NUMBER_BYTES = 8;

/** Each sender's highest number is remembered, and what is not above it is taken for old: what comes late is lost. */
export const highWaterMark: Approach = {
  name: 'high-water mark',
  start() {
    const marks = new Map<string, number>();
    return {
      receive: ({ sender, seq }) =>
        seq <= (marks.get(sender) ?? 0) ? ACKNOWLEDGE : effectThenMemory(() => marks.set(sender, seq)),
      memory: () => [...marks.keys()].reduce((sum, sender) => sum + sender.length + NUMBER_BYTES, 0),
    };
  },
};
