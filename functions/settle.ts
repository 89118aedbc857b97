import { nightlyJob } from '../lib/schedule/nightly-job.ts';
import { settle } from '../lib/wallet/settle.ts';

export const handler = nightlyJob(settle);
