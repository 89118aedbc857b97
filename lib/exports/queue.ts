/** The package's entry `semel/queue`: consumers, senders and the outbox. */
export { type ConsumedQueue, consumedQueue } from '../queue/consumed-queue.ts';
export { type LeasedConsumer, leasedConsumer } from '../queue/leased-consumer.ts';
export { type OnceConsumer, type OnceContext, onceConsumer } from '../queue/once-consumer.ts';
export { outboxRelay } from '../queue/outbox-relay.ts';
export { outboxSweeper } from '../queue/outbox-sweeper.ts';
export { queueClient } from '../queue/queue-client.ts';
export { messageSender, type SendMessage } from '../queue/send-message.ts';
export { type SequenceConsumer, sequenceConsumer } from '../queue/sequence-consumer.ts';
