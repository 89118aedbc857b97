import { onceConsumer } from '../lib/queue/once-consumer.ts';
import { DepositMessage, deposit } from '../lib/wallet/deposit.ts';

export const handler = onceConsumer({ consumer: 'deposits', body: DepositMessage, run: deposit });
