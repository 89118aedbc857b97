import { outboxRelay } from '../lib/queue/outbox-relay.ts';

export const handler = outboxRelay();
