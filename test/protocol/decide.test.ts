import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, decide } from '../../lib/protocol/decide.ts';
import type {
  CompletedRecord,
  IdempotencyRecord,
  InProgressRecord,
  NeedsAttentionRecord,
} from '../../lib/protocol/record.ts';
import { milliseconds, seconds } from '../../lib/protocol/time.ts';

const NOW = milliseconds(1_000_000);
const base = {
  pk: 'key#1',
  schemaVersion: 1,
  operation: 'pay',
  caller: 'alice',
  fingerprint: 'same@1',
  fingerprintVersion: 1,
  ownerToken: 'theirs',
  operationId: 'op_a.b',
  attempt: 1,
  firstSeenAt: milliseconds(0),
};
const unfinished = { ...base, leaseUntil: milliseconds(NOW + 3_000), intent: '{}', unknowns: 0, pendingShard: '0' };
const running: InProgressRecord = { ...unfinished, status: 'in_progress' };
const stuck: NeedsAttentionRecord = { ...unfinished, status: 'needs_attention', reason: 'ten unknown outcomes' };
const reply = { status: 201, headers: {}, body: '{}' };
const done: CompletedRecord = {
  ...base,
  status: 'completed',
  completedAt: milliseconds(0),
  expiresAt: seconds(1_001),
  reply,
};
const { reply: _, ...tombstone } = done;
const everyStatus: [string, IdempotencyRecord][] = [
  ['in_progress', running],
  ['in_progress, lapsed', { ...running, leaseUntil: NOW }],
  ['needs_attention', stuck],
  ['completed', done],
  ['completed without reply', tombstone],
];

const attempt = (ownerToken = 'ours', body = 'same'): Attempt => ({
  ownerToken,
  fingerprint: (version) => `${body}@${version}`,
});
const other = attempt('ours', 'other');

describe('decide', () => {
  it('R8 runs when nothing is there', () => {
    expect(decide(undefined, attempt(), NOW)).toEqual({ kind: 'run' });
  });

  it('R16 replays what an earlier attempt completed', () => {
    expect(decide(done, attempt(), NOW)).toEqual({ kind: 'replay', record: done, reply });
  });

  it('R20 says so when the reply was too large to keep', () => {
    expect(decide(tombstone, attempt(), NOW)).toEqual({ kind: 'reply-not-kept', record: tombstone });
    expect(decide(tombstone, attempt('theirs'), NOW)).toEqual({ kind: 'reply-not-kept', record: tombstone });
  });

  it('R20 says so when the body was left out', () => {
    const { status, headers } = reply;
    const headOnly = { ...tombstone, replyHead: { status, headers } };
    expect(decide(headOnly, attempt(), NOW)).toEqual({ kind: 'reply-not-kept', record: headOnly });
  });

  it('R17 replays what is encrypted', () => {
    const { status, headers } = reply;
    const encryptedReply = { status, headers, ciphertext: new Uint8Array([1]), bodyIs: 'text' } as const;
    const encrypted = { ...tombstone, encryptedReply };
    expect(decide(encrypted, attempt(), NOW)).toEqual({ kind: 'replay', record: encrypted, reply: encryptedReply });
  });

  it.each(everyStatus)('R7 finds the mismatch before the status: %s', (_status, record) => {
    expect(decide(record, other, NOW)).toEqual({ kind: 'mismatch', record });
  });

  it.each(everyStatus)('R7 compares in the version the record was written with: %s', (_status, record) => {
    const old = { ...record, fingerprint: 'same@0', fingerprintVersion: 0 };
    expect(decide(old, attempt(), NOW).kind).toBe(decide(record, attempt(), NOW).kind);
    expect(decide({ ...old, fingerprintVersion: 1 }, attempt(), NOW).kind).toBe('mismatch');
  });

  it('R8 replaces an expired record from the millisecond in which it expires', () => {
    expect(decide(done, attempt(), milliseconds(1_000_999)).kind).toBe('replay');
    expect(decide(done, attempt(), milliseconds(1_001_000))).toEqual({ kind: 'replace-expired', record: done });
    expect(decide(tombstone, attempt(), milliseconds(1_001_000)).kind).toBe('replace-expired');
  });

  it('R8 takes an expired record for no record: another request may use the key', () => {
    expect(decide(done, other, milliseconds(1_001_000)).kind).toBe('replace-expired');
  });

  it('R8 never expires what is not completed', () => {
    const late = milliseconds(Number.MAX_SAFE_INTEGER);
    const expiring = { expiresAt: seconds(1) };
    expect(decide({ ...running, ...expiring } as IdempotencyRecord, attempt(), late).kind).toBe('take-over');
    expect(decide({ ...stuck, ...expiring } as IdempotencyRecord, attempt(), late).kind).toBe('needs-attention');
  });

  it('R10 recognizes its own completion and its own claim, whatever the time', () => {
    expect(decide(done, attempt('theirs'), NOW)).toEqual({ kind: 'completed-by-us', record: done, reply });
    expect(decide(done, attempt('theirs'), milliseconds(9_000_000)).kind).toBe('completed-by-us');
    expect(decide(running, attempt('theirs'), NOW)).toEqual({ kind: 'claimed-by-us', record: running });
    expect(decide(running, attempt('theirs'), milliseconds(9_000_000)).kind).toBe('claimed-by-us');
  });

  it('R10 leaves an operation that needs attention to people, even its last owner', () => {
    expect(decide(stuck, attempt('theirs'), NOW)).toEqual({ kind: 'needs-attention', record: stuck });
  });

  it('R11 takes over from the millisecond in which the lease ends', () => {
    expect(decide(running, attempt(), milliseconds(NOW + 2_999)).kind).toBe('in-flight');
    expect(decide(running, attempt(), milliseconds(NOW + 3_000))).toEqual({ kind: 'take-over', record: running });
  });

  it('R11 takes over with the recovery point, the operation id and the attempt number in hand', () => {
    const crashed = { ...running, leaseUntil: NOW, recoveryPoint: 'calling', attempt: 3 };
    expect(decide(crashed, attempt(), NOW)).toMatchObject({
      record: { recoveryPoint: 'calling', operationId: 'op_a.b', attempt: 3 },
    });
  });

  it('R18 asks to come back when the lease ends, at most in 5 s', () => {
    const retryAfter = (left: number) => decide({ ...running, leaseUntil: milliseconds(NOW + left) }, attempt(), NOW);
    expect(retryAfter(1)).toMatchObject({ kind: 'in-flight', retryAfter: 1 });
    expect(retryAfter(5_000)).toMatchObject({ retryAfter: 5_000 });
    expect(retryAfter(27_000)).toMatchObject({ retryAfter: 5_000 });
  });

  it('R7 runs or takes over only for the same request, or in place of an expired record', () => {
    const records = fc.constantFrom(...everyStatus.map(([, record]) => record));
    fc.assert(
      fc.property(records, fc.constantFrom('ours', 'theirs'), fc.nat(2_000_000), (record, owner, at) => {
        const { kind } = decide(record, attempt(owner, 'other'), milliseconds(at));
        expect(kind).toBeOneOf(
          owner === 'ours'
            ? ['mismatch', 'replace-expired']
            : ['mismatch', 'completed-by-us', 'claimed-by-us', 'reply-not-kept'],
        );
      }),
    );
  });
});
