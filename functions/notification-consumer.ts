import { onceConsumer } from '../lib/queue/once-consumer.ts';
import { LargeTransfer, storeNotification } from '../lib/wallet/large-transfer.ts';

export const handler = onceConsumer({ consumer: 'notifications', body: LargeTransfer, run: storeNotification });
