import { describe, expect, it } from 'vitest';
import { readCancellation } from '../../lib/protocol/cancellation.ts';

const item = { pk: 'key#1', status: 'completed' };
const none = { Code: 'None' };
const conflict = { Code: 'TransactionConflict' };
const failed = { Code: 'ConditionalCheckFailed' };
const invalid = { Code: 'ValidationError', Message: 'An attribute has the wrong type' };

describe('readCancellation', () => {
  it('C17 [None, Conflict] is retried', () => {
    expect(readCancellation([none, conflict])).toEqual({ kind: 'retry', reason: 'TransactionConflict' });
  });

  it('C17 [ConditionalCheckFailed, Conflict] is decided by the record', () => {
    expect(readCancellation([{ ...failed, Item: item }, conflict])).toEqual({ kind: 'record', item });
  });

  it('C17 [Conflict, ConditionalCheckFailed] is retried: the first attempt may have taken the money', () => {
    expect(readCancellation([conflict, { ...failed, Item: { balance: 0 } }])).toEqual({
      kind: 'retry',
      reason: 'TransactionConflict',
    });
  });

  it('R22 decides by the record when the first attempt already took the money', () => {
    expect(
      readCancellation([
        { ...failed, Item: item },
        { ...failed, Item: { balance: 0 } },
      ]),
    ).toEqual({ kind: 'record', item });
  });

  it.each([
    'TransactionConflict',
    'ThrottlingError',
    'ProvisionedThroughputExceeded',
    'TransactionInProgress',
    'SomethingNew',
  ])("R22 retries when the record's reason is %s, whatever the effects' reasons say", (Code) => {
    expect(readCancellation([{ Code }, failed])).toEqual({ kind: 'retry', reason: Code });
    expect(readCancellation([{ Code }, invalid])).toEqual({ kind: 'retry', reason: Code });
  });

  it('R22 lets the record decide even when it vanished between the condition and now', () => {
    expect(readCancellation([failed, failed])).toEqual({ kind: 'record', item: undefined });
  });

  it('R22 asks the effect whose condition failed, counted without the record', () => {
    expect(readCancellation([none, { ...failed, Item: { balance: 3 } }, none])).toEqual({
      kind: 'effect',
      index: 0,
      old: { balance: 3 },
    });
    expect(readCancellation([none, none, failed])).toEqual({ kind: 'effect', index: 1, old: undefined });
  });

  it('R22 takes the first of several failed conditions, and a failed condition before another effect’s conflict', () => {
    expect(readCancellation([none, none, failed, failed])).toMatchObject({ kind: 'effect', index: 1 });
    expect(readCancellation([none, conflict, failed])).toMatchObject({ kind: 'effect', index: 1 });
    expect(readCancellation([none, failed, invalid])).toMatchObject({ kind: 'effect', index: 0 });
  });

  it('R22 takes a reason without a code for None', () => {
    expect(readCancellation([{}, failed])).toMatchObject({ kind: 'effect', index: 0 });
    expect(readCancellation([none, {}, conflict])).toMatchObject({ kind: 'retry', reason: 'TransactionConflict' });
    expect(readCancellation([none, {}, { Code: 'DuplicateItem' }])).toMatchObject({ kind: 'rejected' });
  });

  it.each(['ValidationError', 'ItemCollectionSizeLimitExceeded', 'DuplicateItem'])(
    'R22 never retries what DynamoDB rejects: %s',
    (Code) => {
      expect(readCancellation([none, { Code }])).toEqual({ kind: 'rejected', reason: Code });
      expect(readCancellation([{ Code }, none])).toEqual({ kind: 'rejected', reason: Code });
    },
  );

  it('R22 says why DynamoDB rejected a plan, even beside a conflict', () => {
    expect(readCancellation([none, conflict, invalid])).toEqual({
      kind: 'rejected',
      reason: 'ValidationError: An attribute has the wrong type',
    });
  });

  it('R22 retries when no reason is given', () => {
    expect(readCancellation([])).toEqual({ kind: 'retry', reason: 'no reason given' });
    expect(readCancellation([none, none])).toEqual({ kind: 'retry', reason: 'no reason given' });
  });
});
