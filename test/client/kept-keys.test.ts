import { describe, expect, it } from 'vitest';
import { failureOf, impatientClient } from './impatient-client.ts';
import { storage } from './storage.ts';
import { troubledServer } from './troubled-server.ts';

const order = { method: 'POST', body: '{"amount":500}' };
const HOUR = 3_600_000;

/** An intent whose key was kept before, as this text. */
function keptIntent(text: string, retention = 24 * HOUR) {
  const kept = storage();
  kept.items.set('semel:intent:order-8421', text);
  return impatientClient({ storage: kept, retention }).intent('order-8421');
}

describe('a kept key', () => {
  it.each([
    'null',
    '{}',
    '5',
    '"abc"',
    '[]',
    '{"key":"","madeAt":1}',
    '{"key":"  ","madeAt":1}',
    '{"key":5,"madeAt":1}',
    `{"madeAt":${Date.now()}}`,
    '{"key":"k"}',
    '{"key":"k","madeAt":"soon"}',
    '{',
  ])('R39 that is damaged is not used, and nothing is sent: %s', async (text) => {
    const server = await troubledServer({ status: 201 });
    const pay = keptIntent(text);
    const error = await failureOf(pay(server.url, order));
    expect(error).toMatchObject({ problem: 'storage', outcome: 'unknown', attempts: 0 });
    await expect(pay.key()).rejects.toMatchObject({ problem: 'storage' });
    expect(server.received).toEqual([]);
  });

  it.each([1, 365 * 24])('R40 from %i hours ahead has an unknown age, so it is not sent', async (hours) => {
    const server = await troubledServer({ status: 201 });
    const pay = keptIntent(JSON.stringify({ key: 'k', madeAt: Date.now() + hours * HOUR }));
    expect(await failureOf(pay(server.url, order))).toMatchObject({
      problem: 'key-expired',
      outcome: 'unknown',
      attempts: 0,
    });
    expect(server.received).toEqual([]);
  });

  it('R40 is not sent again after its end, even if the clock was ahead when it was made', async () => {
    const server = await troubledServer({ status: 201 });
    const pay = keptIntent(JSON.stringify({ key: 'k', madeAt: `${Date.now() + 1_000 * HOUR}` }));
    expect(await failureOf(pay(server.url, order))).toMatchObject({ attempts: 0 });
    expect(server.received).toEqual([]);
  });
});
