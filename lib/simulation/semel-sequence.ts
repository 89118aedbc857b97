import { INBOX_VERSION, type Inbox } from '../protocol/inbox.ts';
import { itemSize } from '../protocol/item-size.ts';
import { decideSequence, inboxKey } from '../protocol/sequence.ts';
import { ACKNOWLEDGE, type Approach, type Step, together } from './consumer.ts';
import type { Message } from './message.ts';

/** Semel's consumer for numbered messages: one mark for each sender, moved together with the effect (R29). */
export const semelSequence: Approach = {
  name: 'Semel, sequence',
  start() {
    const inboxes = new Map<string, Inbox & { readonly parked: Set<number> }>();
    const inboxOf = (sender: string) =>
      inboxes.get(sender) ?? {
        ...inboxKey({ consumer: 'simulation', source: 'simulation', sender }),
        schemaVersion: INBOX_VERSION,
        last: 0,
        parked: new Set<number>(),
      };
    const advance = ({ sender, seq }: Message): void => {
      const inbox = inboxOf(sender);
      inbox.parked.delete(seq);
      inboxes.set(sender, { ...inbox, last: seq });
    };
    const setAside = ({ sender, seq }: Message): Step => {
      const inbox = inboxOf(sender);
      inbox.parked.add(seq);
      inboxes.set(sender, inbox);
      return { kind: 'set-aside' };
    };
    return {
      receive(message) {
        switch (decideSequence(inboxOf(message.sender).last, message.seq)) {
          case 'duplicate':
            return ACKNOWLEDGE;
          case 'apply':
            return together(() => advance(message));
          case 'gap':
            return setAside(message);
        }
      },
      memory: () => [...inboxes.values()].reduce((sum, inbox) => sum + itemSize({ ...inbox }), 0),
    };
  },
};
