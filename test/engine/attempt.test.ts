import { describe, expect, it } from 'vitest';
import { startAttempt } from '../../lib/engine/attempt.ts';
import { createEngine } from '../../lib/engine/engine.ts';
import { FINGERPRINT_VERSION } from '../../lib/protocol/fingerprint.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';

const engine = createEngine({ store: {} as Store });

const startWith = (value: unknown) =>
  startAttempt(engine, {
    ...{ caller: 'alice', operation: 'pay', key: 'k', scope: 'caller', hinted: false, endsAt: milliseconds(1) },
    request: { method: 'POST', path: '/payments', rawQuery: '', body: { kind: 'json', value } },
  });

describe('an attempt', () => {
  it('R7 has the fingerprint of what arrived, whatever becomes of that afterwards', () => {
    const body = { amount: 5, meta: { x: 2 } };
    const attempt = startWith(body);
    body.meta.x = 1;
    expect(attempt.fingerprint(FINGERPRINT_VERSION)).toBe(
      startWith({ amount: 5, meta: { x: 2 } }).fingerprint(FINGERPRINT_VERSION),
    );
    expect(attempt.fingerprint(FINGERPRINT_VERSION)).not.toBe(startWith(body).fingerprint(FINGERPRINT_VERSION));
  });
});
