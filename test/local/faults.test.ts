import { describe, expect, it } from 'vitest';
import { delayOf, dropsResponse, faultAt, parseFaults } from '../../lib/local/faults.ts';

const parsed = (header: string) => {
  const faults = parseFaults(header);
  if (typeof faults === 'string') throw new Error(faults);
  return faults;
};

describe('parseFaults', () => {
  it('reads every fault', () => {
    expect(
      parsed('drop-response, delay=250,crash-before=1,crash-after=2 ,lose-response=3,throttle=4,conflict=50'),
    ).toEqual([
      { kind: 'drop-response' },
      { kind: 'delay', milliseconds: 250 },
      { kind: 'crash-before', call: 1 },
      { kind: 'crash-after', call: 2 },
      { kind: 'lose-response', call: 3 },
      { kind: 'throttle', call: 4 },
      { kind: 'conflict', call: 50 },
    ]);
  });

  it('reads no header as no fault', () => {
    expect(parseFaults(undefined)).toEqual([]);
  });

  it.each([
    '',
    'crash',
    'crash-before',
    'crash-before=0',
    'crash-before=-1',
    'crash-before=1.5',
    'crash-before=x',
    'delay=60001',
    'drop-response=1',
    'DELAY=1',
    'delay=1,',
  ])('refuses %j and says what it takes', (header) => {
    expect(parseFaults(header)).toMatch(/^Local-Fault does not know ".*"\. It takes drop-response, delay=MS/);
  });
});

describe('a fault', () => {
  const faults = parsed('throttle=2,crash-after=2,conflict=4,delay=10,delay=5');

  it('strikes its call alone, the first of several', () => {
    expect([1, 2, 3, 4].map((call) => faultAt(faults, call))).toEqual([undefined, 'throttle', undefined, 'conflict']);
  });

  it('of time adds up', () => {
    expect([delayOf(faults), delayOf([])]).toEqual([15, 0]);
  });

  it('at the client is told apart', () => {
    expect([dropsResponse(faults), dropsResponse(parsed('delay=1,drop-response'))]).toEqual([false, true]);
  });
});
