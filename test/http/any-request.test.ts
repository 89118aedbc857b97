import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { PROBLEMS } from '../../lib/protocol/problems.ts';
import { GATEWAYS, type Gateway } from '../setup/gateway-event.ts';
import { openWallet, type Wallet } from '../setup/wallet.ts';

let wallet: Wallet;
let from: string;
let to: string;
beforeAll(async () => {
  wallet = await openWallet();
  [from, to] = await Promise.all([wallet.openAccount(1_000), wallet.openAccount()]);
});

const gateway = fc.constantFrom(...(Object.keys(GATEWAYS) as Gateway[]));
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\u0000', '%', 'null'),
);

/** Mostly well-formed, so that the odd part meets the code behind the first check. */
const key = fc.oneof({ weight: 3, arbitrary: fc.uuid() }, { weight: 1, arbitrary: anyText });
const mediaType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: anyText },
);
const account = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('FROM', 'TO') },
  { weight: 1, arbitrary: fc.oneof(anyText, fc.constant('acct_none'), fc.constant(`acct_${'x'.repeat(64)}`)) },
);
const amount = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 2_000 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const body = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ from: account, to: account, amount, extra: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: anyText },
);

const isStored = (code: string | undefined): boolean =>
  code === undefined || PROBLEMS[code as keyof typeof PROBLEMS].stored;

it('R15 no transfer, however odd, is a 5xx or burns its key unless its answer is final', async () => {
  const before = await wallet.countRecords();
  let final = 0;
  const request = fc.record({ gateway, key, mediaType, body, query: fc.oneof(fc.constant(''), anyText) });
  await fc.assert(
    fc.asyncProperty(request, async (odd) => {
      const reply = await wallet.transfer(odd.body.replaceAll('FROM', from).replaceAll('TO', to), odd.key, {
        gateway: odd.gateway,
        rawQuery: odd.query,
        headers: { 'content-type': odd.mediaType, 'Content-Type': odd.mediaType },
      });
      expect(reply.status).toBeLessThan(500);
      if (reply.status >= 400) expect(reply.headers['content-type']).toBe('application/problem+json');
      if (isStored(reply.code) && !reply.replayed) final += 1;
    }),
    { numRuns: 150 },
  );
  expect(final).toBeGreaterThan(0);
  expect(await wallet.countRecords()).toBe(before + final);
});

it('R19 no path and no query of a read, however odd, is a 5xx', async () => {
  const request = fc.record({ gateway, id: fc.oneof(anyText, fc.constant('FROM')), query: anyText, cursor: anyText });
  await fc.assert(
    fc.asyncProperty(request, async ({ gateway: behind, id: odd, query, cursor }) => {
      const id = odd.replaceAll('FROM', from);
      const rawQuery = `after=${encodeURIComponent(cursor.toWellFormed())}&${query}`;
      const path = `/accounts/${id}/entries`;
      const reply = await wallet.call({
        route: 'GET /accounts/{id}/entries',
        path,
        params: { id },
        rawQuery,
        gateway: behind,
      });
      expect([200, 400, 404]).toContain(reply.status);
    }),
    { numRuns: 100 },
  );
});
