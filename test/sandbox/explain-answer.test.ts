import { describe, expect, it } from 'vitest';
import { type Circumstances, explainAnswer, type PaymentAnswer } from '../../lib/sandbox/explain-answer.ts';

const NORMAL: Circumstances = {
  ...{ amount: '20.00 €', honorsKeys: true, keepsKey: true, again: false, anotherKey: false },
};
const FIRST: PaymentAnswer = { replayed: false, waited: false, joined: false };

const explain = (answer: Partial<PaymentAnswer>, circumstances: Partial<Circumstances> = {}) =>
  explainAnswer({ ...FIRST, ...answer }, { ...NORMAL, ...circumstances });

describe('explainAnswer', () => {
  it.each<[string, Partial<PaymentAnswer>, Partial<Circumstances>, string, string | undefined, string]>([
    ['a charge', { status: 201 }, {}, '201 Charged', 'R16', 'good'],
    ['a replay', { status: 201, replayed: true }, {}, '201 Replayed', 'R17', 'good'],
    ['a replay that was waited for', { status: 201, replayed: true, waited: true }, {}, '201 Replayed', 'R18', 'good'],
    ['a second key', { status: 201 }, { anotherKey: true }, '201 Charged', 'R39', 'bad'],
    ['a duplicate', { status: 409, problem: 'request-in-flight' }, {}, '409 In flight', 'R18', 'wait'],
    ['another amount', { status: 422, problem: 'idempotency-key-reused' }, {}, '422 Key reused', 'R7', 'bad'],
    ['a silent provider', { status: 503, problem: 'outcome-unknown' }, {}, '503 Outcome unknown', 'R15', 'wait'],
    ['a declined card', { status: 402, problem: 'card-declined' }, {}, '402 Declined', 'R16', 'plain'],
    ['a store that is down', { status: 503, problem: 'store-unavailable' }, {}, '503 Store unavailable', 'R21', 'wait'],
    ['a crash', { status: 502 }, {}, '502 Failed', 'R39', 'wait'],
    ['no answer', {}, {}, 'No answer', 'R39', 'wait'],
    ['a reset', { status: 503, problem: 'too-many-conflicts' }, {}, '503 Too many conflicts', 'R22', 'wait'],
    ['a full account', { status: 422, problem: 'balance-limit' }, {}, '422 No room', 'R16', 'plain'],
    ['a joined call', { status: 201, joined: true }, {}, '201 Joined', 'R39', 'good'],
    ['a call joined without keys', { status: 201, joined: true }, { honorsKeys: false }, '201 Joined', 'R39', 'good'],
    ['a joined call without an answer', { joined: true }, {}, 'Joined', 'R39', 'wait'],
    ['a joined refusal', { status: 422, joined: true }, {}, '422 Joined', 'R39', 'bad'],
    ['no answer, and the next key is new', {}, { keepsKey: false }, 'No answer', 'R39', 'bad'],
    ['a crash, and the next key is new', { status: 502 }, { keepsKey: false }, '502 Failed', 'R39', 'bad'],
    ['a crash without keys', { status: 502 }, { honorsKeys: false }, '502 Failed', undefined, 'bad'],
    ['another problem', { status: 413, problem: 'body-too-large' }, {}, '413', undefined, 'bad'],
    ['no answer without keys', {}, { honorsKeys: false }, 'No answer', undefined, 'bad'],
    ['a charge without keys', { status: 201 }, { honorsKeys: false }, '201 Charged', undefined, 'plain'],
    ['a second one', { status: 201 }, { honorsKeys: false, again: true }, '201 Charged', undefined, 'bad'],
  ])('explains %s', (_, answer, circumstances, title, rule, tone) => {
    const explanation = explain(answer, circumstances);
    expect(explanation).toMatchObject({ title, tone });
    expect(explanation.rule).toBe(rule);
    expect(explanation.text).not.toContain('\n');
  });

  it.each([false, true])('says that no rule applied where the server ignores keys (again: %s)', (again) => {
    expect(explain({ status: 201 }, { honorsKeys: false, again }).text).toMatch(/ignores keys, so no rule applied\.$/);
  });

  it('says when to come back, rounded up', () => {
    expect(explain({ status: 409, problem: 'request-in-flight', retryAfter: 4_001 }).text).toContain('in 5 s');
  });

  it.each([{}, { status: 502 }, { status: 503, problem: 'outcome-unknown' }])(
    'R39 advises to retry with the same key only where the key is kept and honored (%j)',
    (answer) => {
      expect(explain(answer).text).toMatch(/The key is kept: retry with the same key\.$/);
      expect(explain(answer, { keepsKey: false }).text).toMatch(
        /The next attempt takes a new key and may charge again\.$/,
      );
    },
  );

  it.each([{}, { status: 502 }])('says that a retry is a gamble where the server ignores keys (%j)', (answer) => {
    expect(explain(answer, { honorsKeys: false }).text).toMatch(
      /ignores keys, so no rule applied and a retry is a gamble: it may charge twice/,
    );
  });

  it('names the most that an account holds', () => {
    expect(explain({ status: 422, problem: 'balance-limit' }).text).toContain('90071992547409.91\u00a0€');
  });
});
