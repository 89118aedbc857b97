import { describe, expect, it } from 'vitest';
import { BackgroundFaults, readBackgroundFault } from '../../lib/local/background-faults.ts';
import { useQueueCloud } from './queue-cloud.ts';
import { consumedQueue, streamConsumer } from './queue-stack.ts';

const { cloud, deadIn, deliveries, nameOf, post, send, state } = useQueueCloud({
  ...consumedQueue('Stormy', {
    queue: { RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['StormyDead', 'Arn'] }, maxReceiveCount: 30 } },
  }),
  ...streamConsumer('Copy', 'copied#'),
});

const order = async (fault: object) => (await post('/_local/faults', fault)).status;
const pks = async (id: string) => (await deliveries(id)).map(({ pk }) => pk);

describe('faults of functions that no client waits for', () => {
  it('crash the next invocation, whose batch comes again', async () => {
    expect(await order({ function: 'stormy', fault: 'crash-before=1' })).toBe(204);
    await send('Stormy', { id: 'a' });
    await expect.poll(() => pks('a'), { timeout: 15_000 }).toEqual(['a 2']);
  });

  it('lose the acknowledgement of what was handled', async () => {
    expect(await order({ function: 'Stormy', fault: 'lose-acknowledgement', count: 2 })).toBe(204);
    await send('Stormy', { id: 'b' });
    await expect.poll(() => pks('b'), { timeout: 15_000 }).toEqual(['b 1', 'b 2', 'b 3']);
  });

  it('strike functions of streams as well', async () => {
    expect(await order({ function: 'Copy', fault: 'crash-after=1' })).toBe(204);
    await post('/put', { pk: { S: 'copied#c' }, sk: { S: 'original' } });
    const faultsOfCalls = async () => (await fetchCalls('Copy')).map(({ fault }) => fault);
    await expect.poll(faultsOfCalls, { timeout: 15_000 }).toEqual(['crash-after', null]);
    expect((await state()).entries.map(({ pk }) => pk)).toContain('copy of copied#c');
  });

  it('make a storm, after which everything has been handled', { timeout: 60_000 }, async () => {
    await order({ function: 'Stormy', fault: 'crash-after=1', probability: 0.2 });
    await order({ function: 'Stormy', fault: 'lose-acknowledgement', probability: 0.2 });
    const ids = Array.from({ length: 40 }, (_, index) => `d${index}`);
    await Promise.all(ids.map((id) => send('Stormy', { id })));
    const left = async () => {
      const queue = (await state()).queues.find(({ name }) => name === nameOf('Stormy'));
      return Number(queue?.visible) + Number(queue?.inFlight);
    };
    await expect.poll(left, { timeout: 50_000, interval: 200 }).toBe(0);
    expect(new Set((await deliveries(...ids)).map(({ pk }) => pk.split(' ')[0]))).toEqual(new Set(ids));
    expect(await deadIn('Stormy')).toEqual([]);
  });

  it('end when they are taken back', async () => {
    await order({ function: 'Stormy', fault: 'crash-before=1', probability: 1 });
    expect((await fetch(`${cloud().url}/_local/faults`, { method: 'DELETE' })).status).toBe(204);
    await send('Stormy', { id: 'e' });
    await expect.poll(() => pks('e'), { timeout: 15_000 }).toEqual(['e 1']);
  });

  it.each([{}, { function: 'Stormy' }, { function: 'Stormy', fault: 'explode' }, 'no object'])(
    'are not %j',
    async (asked) => {
      const answer = await post('/_local/faults', asked);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ title: 'Unknown fault' });
    },
  );

  const fetchCalls = async (name: string) => {
    const { calls } = (await (await fetch(`${cloud().url}/_local/calls?function=Tiny-${name}Consumer`)).json()) as {
      calls: { fault: string | null }[];
    };
    return calls;
  };
});

describe('readBackgroundFault', () => {
  const asked = { function: 'F', fault: 'crash-after=1' };

  it.each([{ count: 0 }, { count: 1.5 }, { count: '1' }, { probability: 0 }, { probability: 1.1 }])(
    'refuses %j',
    (more) => {
      expect(readBackgroundFault({ ...asked, ...more })).toMatch(/^The (count|probability) is/);
    },
  );

  it('means the next invocation, or all of them where a probability is given', () => {
    expect(readBackgroundFault(asked)).toMatchObject({ count: 1, probability: 1 });
    expect(readBackgroundFault({ ...asked, probability: 0.1 })).toMatchObject({ count: Infinity, probability: 0.1 });
    expect(readBackgroundFault({ ...asked, count: 3 })).toMatchObject({ count: 3, probability: 1 });
  });
});

describe('BackgroundFaults', () => {
  it('strike as often and as likely as they were asked to, and only the functions that they name', () => {
    const draws = [0.05, 0.5, 0.09];
    const faults = new BackgroundFaults(() => draws.shift() ?? 1);
    const fault = readBackgroundFault({ function: 'Dep', fault: 'crash-after=2', probability: 0.1, count: 2 });
    if (typeof fault === 'string') throw new Error(fault);
    faults.add(fault);
    const struck = () => faults.strike('DepositQueueConsumer').faults.length;
    expect(faults.strike('Other').faults).toEqual([]);
    expect([struck(), struck(), struck(), struck()]).toEqual([1, 0, 1, 0]);
    expect(draws).toEqual([]);
  });
});
