import type { Engine } from '../../../lib/engine/engine.ts';
import { route } from '../../../lib/http/endpoint.ts';
import { CREATE_TRANSFER } from '../../../lib/wallet/keyed-operations.ts';
import { transfer } from '../../../lib/wallet/transfer.ts';

/** The wallet's own route, as functions/transfers.ts has it, over an engine of the benchmark's; alice asks. */
export const semelTransfers = (engine: Engine) =>
  route({
    ...CREATE_TRANSFER,
    ...{ engine, authenticate: async () => 'alice' },
    run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation }, read),
  });
