import { outboxSweeper } from '../lib/queue/outbox-sweeper.ts';

export const handler = outboxSweeper();
