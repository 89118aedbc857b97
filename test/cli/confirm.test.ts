import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from '../../lib/cli/confirm.ts';

/** A screen at which somebody types this. */
function screen(typed: string) {
  const output = new PassThrough();
  const input = Object.assign(new PassThrough(), { isTTY: true });
  // Once the question is there.
  output.once('data', () => input.write(`${typed}\n`));
  return { input, output };
}
const ask = (typed: string) => confirm({ options: {}, positionals: [] }, 'Go on?', screen(typed));

describe('confirm', () => {
  it.each(['y', 'Yes', ' YES '])('goes on at %j', async (typed) => {
    await expect(ask(typed)).resolves.toBeUndefined();
  });

  it.each(['', 'n', 'yeah', 'no'])('stops at %j', async (typed) => {
    await expect(ask(typed)).rejects.toThrow('Nothing was changed.');
  });

  it('asks nobody who has said yes before, and nobody who is not there', async () => {
    await confirm({ options: { yes: true }, positionals: [] }, 'Go on?', screen('n'));
    const pipe = { input: new PassThrough(), output: new PassThrough() };
    await expect(confirm({ options: {}, positionals: [] }, 'Go on?', pipe)).rejects.toThrow('Add --yes');
  });
});
