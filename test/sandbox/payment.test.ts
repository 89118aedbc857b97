import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { localApiKey } from '../../lib/cli/local-seed.ts';
import { formatOperationId } from '../../lib/protocol/operation-id.ts';
import { scopedKey, scopeParts } from '../../lib/protocol/scope.ts';
import { LOCAL_CALLER } from '../../lib/sandbox/local-caller.ts';
import type { CloudState } from '../../lib/sandbox/local-cloud.ts';
import { NotKept } from '../../lib/sandbox/page-storage.ts';
import { movedBy, type Payment } from '../../lib/sandbox/payment.ts';
import { PaymentBook } from '../../lib/sandbox/payment-book.ts';

/** An operation id as the engine makes it for this caller's key. */
function operationId(key: string, caller: string = LOCAL_CALLER.name): string {
  const scoped = scopedKey(scopeParts('caller', { caller, operation: 'create-charge', key }));
  return formatOperationId(createHash('sha256').update(scoped).digest(), 'AZrVAAAAcACAAAAAAAAAAQ');
}

const charge = (reference: string, amount = 2_000, status = 'succeeded') => ({
  id: 'pay_1',
  reference,
  amount,
  status,
});
const stateWith = (...providerCharges: CloudState['providerCharges']): CloudState => ({
  ...{ records: [], entries: [], queues: [], deadLetters: [] },
  providerCharges,
});
const paymentWith = (...keys: string[]) => ({ keys }) as unknown as Payment;

describe('movedBy', () => {
  it('finds the charges of a payment’s keys, with the server that honors them and with the one that does not', async () => {
    const state = stateWith(charge(operationId('k-1')), charge('naive-k-1-x', 500), charge('naive-k-2-y'));
    expect(await movedBy(paymentWith('k-1', 'k-2'), state)).toEqual({ times: 3, amount: 4_500 });
  });

  it('leaves alone what is not the payment’s, and what was declined', async () => {
    const state = stateWith(
      charge(operationId('k-1', 'bob')),
      charge(operationId('k-11')),
      charge('naive-k-11-x'),
      charge(operationId('k-1'), 100, 'declined'),
    );
    expect(await movedBy(paymentWith('k-1'), state)).toEqual({ times: 0, amount: 0 });
  });
});

describe('the caller', () => {
  it('is one that the local cloud starts with', () => {
    expect(LOCAL_CALLER.apiKey).toBe(localApiKey(LOCAL_CALLER.name));
    expect(LOCAL_CALLER.account).toBe(`acct_${LOCAL_CALLER.name}`);
  });
});

describe('the book of payments', () => {
  const storage = (): Storage => {
    const items = new Map<string, string>();
    const getItem = (name: string) => items.get(name) ?? null;
    const setItem = (name: string, value: string) => void items.set(name, value);
    const removeItem = (name: string) => void items.delete(name);
    return { getItem, setItem, removeItem } as Storage;
  };
  const sent = { amount: 2_000, intent: 'payment-1', key: 'k-1', naive: false };

  it('survives a reload, what is pending and its first amount above all', () => {
    const kept = storage();
    const payment = new PaymentBook(kept).begin('tok_ok');
    new PaymentBook(kept).send(payment, sent);
    new PaymentBook(kept).send(payment, { ...sent, amount: 3_000 });
    expect(new PaymentBook(kept).all()).toEqual([
      { ...payment, intent: 'payment-1', amount: 2_000, keys: ['k-1'], sends: 2, pending: true },
    ]);
  });

  it('numbers payments, and changes only the one that is meant', () => {
    const book = new PaymentBook(storage());
    const first = book.begin('tok_ok');
    const second = book.begin('tok_slow');
    book.send(first, sent);
    book.settle(first);
    expect(book.all().map(({ number, pending, keys }) => [number, pending, keys.length])).toEqual([
      [1, false, 1],
      [2, false, 0],
    ]);
    expect(book.current()).toEqual(second);
    book.clear();
    expect(book.current()).toBeUndefined();
  });

  it('knows a payment by its key: another of the same number is another one', () => {
    const book = new PaymentBook(storage());
    const payment = book.begin('tok_ok');
    expect(book.send(payment, sent)?.keys).toEqual(['k-1']);
    expect(book.knows(payment, 'k-1')).toBe(true);
    book.clear();
    expect(book.send(payment, sent)).toBeUndefined();
    expect(book.knows(payment, 'k-1')).toBe(false);
    book.send(book.begin('tok_ok'), { ...sent, key: 'k-2' });
    expect(book.knows(payment, 'k-1')).toBe(false);
  });

  it.each(['null', '{}', '[null]', '[{}]'])('is damaged where %s is kept', (text) => {
    const kept = storage();
    kept.setItem('semel:sandbox:payments', text);
    expect(() => new PaymentBook(kept).all()).toThrow(NotKept);
  });

  it('lets a payment change its card until it is sent', () => {
    const book = new PaymentBook(storage());
    const payment = book.begin('tok_ok');
    expect(book.changeCard(payment, 'tok_slow')).toBe(true);
    book.send(payment, sent);
    expect(book.changeCard(book.all()[0] as Payment, 'tok_ok')).toBe(false);
    expect(book.all().map(({ number, source }) => [number, source])).toEqual([[1, 'tok_slow']]);
  });
});
