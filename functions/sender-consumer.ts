import { sequenceConsumer } from '../lib/queue/sequence-consumer.ts';
import { NumberedMessage, SENDERS, TOTALS } from '../lib/wallet/sender.ts';

export const handler = sequenceConsumer({
  consumer: SENDERS,
  body: NumberedMessage,
  sequence: ({ sender, seq }) => ({ sender, seq }),
  effect: TOTALS,
});
