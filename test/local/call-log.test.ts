import { describe, expect, it } from 'vitest';
import { CallLog, type RecordedCall } from '../../lib/local/call-log.ts';

const call = (change: Partial<RecordedCall>): { call: RecordedCall; unsized: undefined } => ({
  call: {
    at: 1,
    function: 'f',
    invocation: 'i1',
    request: 'r1',
    operation: null,
    call: 1,
    action: 'dynamodb:GetItem',
    permissions: [],
    tables: [],
    queue: null,
    items: 1,
    writeUnits: null,
    readUnits: 1,
    status: 200,
    error: null,
    fault: null,
    duration: 1,
    ...change,
  },
  unsized: undefined,
});
const logOf = (...changes: Partial<RecordedCall>[]): CallLog => {
  const log = new CallLog();
  for (const change of changes) log.add(call(change));
  return log;
};
const found = (log: CallLog, wanted: Parameters<CallLog['find']>[0]) =>
  log.find(wanted).map(({ call: { invocation, call: number } }) => `${invocation}/${number}`);

describe('a call log', () => {
  it('counts all calls of an invocation to the operation that it answered', () => {
    const log = logOf({ call: 1 }, { call: 2, operation: 'op_tried' }, { invocation: 'i2' });
    log.answered('i1', 'op_answered');
    expect(found(log, { operation: 'op_answered' })).toEqual(['i1/1', 'i1/2']);
    expect(found(log, { operation: 'op_tried' })).toEqual([]);
  });

  it('counts them to the first record that was tried where there was no answer', () => {
    const log = logOf({ call: 1 }, { call: 2, operation: 'op_1' }, { call: 3, operation: 'op_2' });
    expect(found(log, { operation: 'op_1' })).toEqual(['i1/1', 'i1/2', 'i1/3']);
  });

  it('narrows to a request or a function', () => {
    const log = logOf({}, { invocation: 'i2', request: 'r2' }, { invocation: 'i3', request: 'r3', function: 'g' });
    expect(found(log, { request: 'r2' })).toEqual(['i2/1']);
    expect(found(log, { function: 'g' })).toEqual(['i3/1']);
    expect(found(log, {})).toEqual(['i1/1', 'i2/1', 'i3/1']);
  });

  it('lists calls as they arrived, though the slow ones are added late', () => {
    const log = logOf({ at: 3, call: 3 }, { at: 1, call: 1 }, { at: 1, call: 2 });
    expect(found(log, {})).toEqual(['i1/1', 'i1/2', 'i1/3']);
  });

  it('forgets the oldest of very many, and all when it is cleared', () => {
    const log = new CallLog();
    for (let at = 1; at <= 100_001; at++) log.add(call({ at }));
    expect(log.find({})).toHaveLength(50_000);
    expect(log.find({}).at(-1)?.call.at).toBe(100_001);
    log.clear();
    expect(log.find({})).toEqual([]);
  });
});
