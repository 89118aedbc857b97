import { reconciler } from '../lib/schedule/reconciler.ts';
import { chargeOperation } from '../lib/wallet/charge.ts';
import { environmentProvider } from '../lib/wallet/environment-provider.ts';
import { refundOperation } from '../lib/wallet/refund.ts';

const provider = environmentProvider();

export const handler = reconciler([chargeOperation(provider), refundOperation(provider)]);
