import { describe, expect, it } from 'vitest';
import { progressBar } from '../../lib/cli/progress-bar.ts';
import { call } from './call.ts';

const SMALL = ['--messages', '300', '--senders', '3', '--seed', '7'];

describe('semel simulate', () => {
  it('R29 prints what each kind of consumer made of the messages', async () => {
    const { code, printed } = await call('simulate', ...SMALL);
    expect(code).toBe(0);
    const [header, ...rows] = printed.split('\n');
    expect(header?.trim().split(/\s{2,}/)).toEqual(['applied', 'lost', 'doubled', 'deliveries', 'memory']);
    const cells = rows.map((row) => row.split(/\s{2,}/));
    expect(cells.map(([name]) => name)).toEqual([
      'no dedupe',
      'id set',
      'high-water mark',
      'Bloom filter',
      'Semel, marker each',
      'Semel, sequence',
    ]);
    for (const [, applied, lost, doubled] of cells.slice(-2))
      expect([applied, lost, doubled]).toEqual(['300', '0', '0']);
    expect(Number(cells[0]?.[3])).toBeGreaterThan(100);
  });

  it('repeats a run with the options that it prints', async () => {
    const first = await call('simulate', '--messages', '100');
    const again = /^Again: npm run -s semel -- (.+)$/m.exec(first.explained)?.[1] ?? '';
    expect(again).toMatch(/--seed \d+$/);
    const second = await call(...again.split(' '));
    expect(second.printed).toBe(first.printed);
    expect((await call('simulate', '--messages', '100')).printed).not.toBe(first.printed);
  });

  it.each([
    ['--drop', '0.95', 'from 0 to 0.9'],
    ['--duplicate', 'often', 'from 0 to 0.9'],
    ['--reorder', '-0.1', 'from 0 to 0.9'],
    ['--messages', '0', 'a whole number from 1 to 1000000'],
    ['--messages', '1.5', 'a whole number from 1 to 1000000'],
    ['--senders', '10001', 'a whole number from 1 to 10000, the --messages'],
    ['--seed', '', 'a whole number from 0 to 4294967295'],
  ])('does not understand %s %j', async (option, value, range) => {
    const { code, explained } = await call('simulate', `${option}=${value}`);
    expect([code, explained]).toEqual([2, `${option} is "${value}", which is not ${range}.`]);
  });
});

describe('the progress bar', () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = [];
    return { isTTY, written, write: (text: string) => written.push(text) > 0 };
  };

  it('fills up, and is gone in the end', () => {
    const terminal = screen(true);
    const draw = progressBar(terminal);
    draw(0, 'id set');
    draw(0.5, 'id set');
    draw(0.501, 'id set');
    draw(1, '');
    expect(terminal.written.map((text) => text.replace('\r\u001b[2K', ''))).toEqual([
      `${'░'.repeat(30)}   0 % id set`,
      `${'█'.repeat(15)}${'░'.repeat(15)}  50 % id set`,
      '',
    ]);
  });

  it('is drawn on screens only', () => {
    const pipe = screen(false);
    progressBar(pipe)(0.5, 'id set');
    expect(pipe.written).toEqual([]);
  });
});
