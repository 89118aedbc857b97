import { describe, expect, it } from 'vitest';
import { joinedCalls } from '../../lib/client/joined-calls.ts';
import { outgoingRequest } from '../../lib/client/outgoing-request.ts';

const order = { method: 'POST', headers: { 'idempotency-key': 'k-1' }, body: '{"amount":500}' };

/** A call that takes its time, also to notice that it is aborted; each answers with its number. */
function slowCalls() {
  let started = 0;
  const start = async (signal: AbortSignal): Promise<Response> => {
    started += 1;
    const number = started;
    await new Promise((later) => setTimeout(later, 40));
    if (signal.aborted) throw signal.reason;
    return new Response(`${number}`);
  };
  const join = joinedCalls(() => {});
  const tap = async (signal?: AbortSignal) =>
    join(await outgoingRequest('http://localhost/charges', { ...order, signal: signal ?? null }), start);
  const read = async (answer: Promise<Response>) => (await answer).text();
  return { tap, read, started: () => started };
}

describe('a call that everybody has left', () => {
  it('R39 is not joined while it is still ending', async () => {
    const { tap, read } = slowCalls();
    const leaving = new AbortController();
    const left = tap(leaving.signal);
    left.catch(() => {});
    await new Promise((later) => setTimeout(later, 10));
    leaving.abort(new Error('left'));
    expect(await read(tap())).toBe('2');
    await expect(left).rejects.toThrow('left');
  });

  it('R39 does not take the next one along when it ends', async () => {
    const { tap, read, started } = slowCalls();
    const leaving = new AbortController();
    const left = tap(leaving.signal);
    await new Promise((later) => setTimeout(later, 20));
    leaving.abort();
    const next = tap();
    await left.catch(() => {});
    // The first is over, the second is not: a tap now belongs to it.
    expect(await Promise.all([read(next), read(tap())])).toEqual(['2', '2']);
    expect(started()).toBe(2);
  });
});
