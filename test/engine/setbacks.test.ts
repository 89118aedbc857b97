import { createServer, type Server } from 'node:net';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import { documentClient } from '../../lib/store/document-client.ts';
import type { Store } from '../../lib/store/store.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { cancelWith, failWith, hang, type Meddling, passOn, reset } from '../setup/meddled-store.ts';
import { newPurse } from '../setup/purse.ts';

let store: Store;
beforeAll(async () => {
  store = await freshStore();
});

describe('a cancelled transaction', () => {
  const holding = (balance: number) => ({ Code: 'ConditionalCheckFailed', Item: marshall({ balance }) });

  it.each([
    ['[None, Conflict]', ['None', 'TransactionConflict', 'None']],
    [
      '[Conflict, ConditionalCheckFailed]: the first attempt may have taken the money',
      ['TransactionConflict', holding(0), 'None'],
    ],
    ['[Throttled, ConditionalCheckFailed]', ['ThrottlingError', holding(0), 'None']],
    ['[ProvisionedThroughputExceeded, None]', ['ProvisionedThroughputExceeded', 'None', 'None']],
  ])('C17 %s is retried', async (_, reasons) => {
    const purse = await newPurse(store);
    purse.store.meddle(cancelWith(...reasons), cancelWith(...reasons));
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
    expect(purse.store.calls).toHaveLength(3);
  });

  it('C17 [ConditionalCheckFailed, Conflict] is decided by the record', async () => {
    const purse = await newPurse(store);
    const { operation, text } = await purse.pay({ key: 'c17' });
    const record = marshall({ ...(await purse.record(operation)) }, { removeUndefinedValues: true });
    purse.store.meddle(cancelWith({ Code: 'ConditionalCheckFailed', Item: record }, 'TransactionConflict', 'None'));
    expect(await purse.pay({ key: 'c17' })).toMatchObject({ status: 201, replayed: true, text });
    expect(purse.store.calls).toHaveLength(2);
  });

  it('R22 whose record has vanished since is tried again', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(cancelWith('ConditionalCheckFailed', 'None', 'None'));
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  });

  it('C35 says why: too little is 402, nothing there 404, a conflict is retried', async () => {
    const poor = await newPurse(store, { balance: 99 });
    expect(await poor.pay()).toMatchObject({ status: 402, code: 'insufficient-funds' });
    const missing = await newPurse(store);
    missing.store.meddle(cancelWith('None', 'ConditionalCheckFailed', 'None'));
    expect(await missing.pay()).toMatchObject({ status: 404, code: 'account-not-found' });
    const contended = await newPurse(store);
    contended.store.meddle(cancelWith('None', 'TransactionConflict', 'None'));
    expect(await contended.pay()).toMatchObject({ status: 201 });
  });

  it('R22 by conflicts until the time is up is 503, and the key is still usable', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(...Array(500).fill(cancelWith('TransactionConflict', 'None', 'None')));
    const given = await purse.pay({ key: 'r22' });
    expect(given).toMatchObject({ status: 503, code: 'too-many-conflicts' });
    expect(given.headers['retry-after']).toBe('1');
    purse.store.calm();
    expect(await purse.pay({ key: 'r22' })).toMatchObject({ status: 201, replayed: false });
  });

  it('R22 that DynamoDB will never take is a 500 at once', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(cancelWith('None', { Code: 'ValidationError', Message: 'too large' }, 'None'));
    expect(await purse.pay()).toMatchObject({ status: 500, code: 'internal-error' });
  });
});

it('R22 a transaction that meets another one with its own token in progress is sent again', async () => {
  const purse = await newPurse(store);
  purse.store.meddle(failWith('TransactionInProgressException'), failWith('TransactionInProgressException'));
  expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  expect(purse.store.calls.map(({ name }) => name)).toEqual(Array(3).fill('TransactWriteCommand'));
});

describe('a single write', () => {
  it.each(['TransactionConflictException', 'ProvisionedThroughputExceededException', 'ThrottlingException'])(
    'R22 that meets %s is sent again',
    async (name) => {
      const purse = await newPurse(store, { balance: 1 });
      purse.store.meddle(passOn, failWith(name), failWith(name));
      expect(await purse.pay()).toMatchObject({ status: 402 });
      expect(purse.store.calls.map((call) => call.name).slice(1)).toEqual(['PutCommand', 'PutCommand', 'PutCommand']);
    },
  );

  it('R22 that loses to nothing, since the record vanished, is planned again', async () => {
    const purse = await newPurse(store, { balance: 1 });
    purse.store.meddle(passOn, async () => {
      throw new ConditionalCheckFailedException({ message: 'lost', $metadata: {} });
    });
    expect(await purse.pay()).toMatchObject({ status: 402, replayed: false });
  });
});

describe('a store that cannot be reached', () => {
  it('R21 for a moment is waited for', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(reset, reset, reset);
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  });

  it('R21 is 503 with Retry-After, and then all goes on', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(...Array(500).fill(reset));
    const started = purse.clock.now();
    const down = await purse.pay({ key: 'r21' });
    expect(down).toMatchObject({ status: 503, code: 'store-unavailable' });
    expect(down.headers['retry-after']).toBe('1');
    expect(purse.clock.now() - started).toBeLessThan(2_000);
    purse.store.calm();
    expect(await purse.pay({ key: 'r21' })).toMatchObject({ status: 201, replayed: false });
  });

  it('R22 is waited for from its first silence on, not from the start of the call', async () => {
    const purse = await newPurse(store);
    const slowly =
      (meddling: Meddling): Meddling =>
      (call) => {
        purse.clock.advance(600);
        return meddling(call);
      };
    const conflict = slowly(cancelWith('TransactionConflict', 'None', 'None'));
    purse.store.meddle(conflict, conflict, conflict, reset);
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  });

  it('R22 now and then, answering in between, is not down', async () => {
    const purse = await newPurse(store);
    const conflict = cancelWith('TransactionConflict', 'None', 'None');
    const rarely: Meddling = (call) => {
      purse.clock.advance(1_000);
      return reset(call);
    };
    purse.store.meddle(rarely, conflict, rarely, conflict, rarely, conflict);
    expect(await purse.pay()).toMatchObject({ status: 201, replayed: false });
  });

  it('R21 denied by its policy is a fault, not an outage', async () => {
    const purse = await newPurse(store);
    purse.store.meddle(failWith('AccessDeniedException'), passOn);
    expect(await purse.pay()).toMatchObject({ status: 500, code: 'internal-error' });
  });
});

describe('a store that accepts connections and never answers', () => {
  let mute: Server;
  let endpoint: string;
  beforeAll(async () => {
    mute = createServer(() => {});
    await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
    endpoint = `http://127.0.0.1:${(mute.address() as { port: number }).port}`;
  });
  afterAll(() => mute.close());

  it('R22 is given up when the time of the request is up, whatever its connection waits for', async () => {
    const purse = await newPurse(store, { clock: { ...SYSTEM, advance: () => {} } });
    purse.store.meddle(hang);
    expect(await purse.pay({ remaining: 700 })).toMatchObject({ status: 503, code: 'store-unavailable' });
    expect(purse.store.calls).toHaveLength(1);
  });

  it('R21 is 503 within three seconds', async () => {
    const client = documentClient({ endpoint, region: 'eu-central-1' });
    const purse = await newPurse(store, { clock: { ...SYSTEM, advance: () => {} } });
    purse.store.meddle(({ command }) => client.send(command));
    const started = performance.now();
    expect(await purse.pay()).toMatchObject({ status: 503, code: 'store-unavailable' });
    expect(performance.now() - started).toBeLessThan(3_000);
    client.destroy();
  });
});
