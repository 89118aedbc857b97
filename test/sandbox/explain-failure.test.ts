import { describe, expect, it } from 'vitest';
import { DeliveryError } from '../../lib/client/delivery-error.ts';
import { explainFailure, explainOutage } from '../../lib/sandbox/explain-failure.ts';
import { CloudError } from '../../lib/sandbox/local-cloud.ts';
import { NotKept } from '../../lib/sandbox/page-storage.ts';
import type { Payment } from '../../lib/sandbox/payment.ts';

const notKept = new NotKept('The storage is full.');
const response = new Response(null, { status: 503 });

describe('explainFailure', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['a storage that is full', notKept, 'Not kept', /^The storage is full\./],
    ['a key that it did not keep', new DeliveryError('storage', 'none', notKept), 'Not kept', /full/],
    ['a storage that hangs', new DeliveryError('storage', 'none', undefined), 'Not kept', /did not keep a key/],
    ['a silent cloud', new CloudError(undefined), 'No answer', /did not answer\. .+ when it is back/],
    ['a silent receiver', new DeliveryError('attempts', 'unknown', undefined), 'No answer', /did not answer/],
    [
      'a refusal',
      new DeliveryError('attempts', 'none', undefined, { attempts: 1, response }),
      'Not done',
      /answered 503/,
    ],
    ['a cloud that fails', new CloudError(500), 'Not done', /answered 500/],
    ['a fault of the page', new TypeError('x is undefined'), 'Failed', /page itself failed: x is undefined/],
  ])('R39 does not take %s for anything else', (_, error, title, text) => {
    const explanation = explainFailure(error);
    expect(explanation).toMatchObject({ title, tone: 'bad' });
    expect(explanation.text).toMatch(text);
  });
});

describe('explainOutage', () => {
  const payment = (number: number, naive: boolean) => ({ number, naive, pending: true }) as Payment;

  it('R39 promises to finish only what has a key that the server honors', () => {
    expect(explainOutage([])).toBe('The local cloud does not answer.');
    expect(explainOutage([{ ...payment(1, false), pending: false }])).toBe('The local cloud does not answer.');
    expect(explainOutage([payment(1, false)])).toMatch(/What is pending is finished when it is back\.$/);
    expect(explainOutage([payment(2, true)])).toBe(
      'The local cloud does not answer. Payment 2 is not sent again by itself: its server ignores keys, so it may be charged twice.',
    );
    expect(explainOutage([payment(1, false), payment(2, true)])).toMatch(/finished when it is back\. Payment 2 is not/);
  });
});
