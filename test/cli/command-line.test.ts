import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../lib/cli/project-root.ts';
import { APPROACHES } from '../../lib/simulation/approaches.ts';
import { call } from './call.ts';

describe('help', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']], [['strat', '--help']]])('%j lists the commands', async (words) => {
    const { code, printed, explained } = await call(...words);
    expect(code).toBe(0);
    for (const name of ['start', 'keys create', 'keys list', 'keys revoke']) expect(printed).toContain(`  ${name} `);
    expect(explained).toBe('');
  });

  it.each([[['keys', '--help']], [['keys', '-h']]])('%j lists the commands of the group', async (words) => {
    const { code, printed } = await call(...words);
    expect(code).toBe(0);
    expect(printed).toContain('Usage: semel keys <command> [options]');
    expect(Array.from(printed.matchAll(/^ {2}(\w.*?) {2}/gm), ([, name]) => name)).toEqual([
      ...['keys create', 'keys list', 'keys revoke'],
    ]);
  });

  it.each([
    [
      ['start', '--help'],
      ['--port <port>', '--data-dir <folder>', 'Ctrl-C'],
    ],
    [
      ['keys', 'create', '--help'],
      ['--caller <name>', '--table <name>', 'printed once'],
    ],
    [['keys', 'list', '-h'], ['--endpoint <url>']],
    [
      ['keys', 'revoke', '--help'],
      ['semel keys revoke <keyId>', 'Revoking twice'],
    ],
  ])('%j explains the command, its options and an example', async (words, sentences) => {
    const { code, printed } = await call(...words);
    expect(code).toBe(0);
    for (const sentence of [...sentences, 'Usage: semel ', 'Examples:', '--help', 'npm run -s semel -- '])
      expect(printed).toContain(sentence);
  });
});

describe('the help of simulate', () => {
  it.each(APPROACHES.map(({ name }) => name))('says what the row is: %s', async (name) => {
    expect((await call('simulate', '--help')).printed).toContain(`\n  ${name}  `);
  });
});

describe('the version', () => {
  it.each(['--version', '-v'])('is the package’s: %s', async (word) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await call(word)).toMatchObject({ code: 0, printed: version });
  });
});

describe('what is not understood', () => {
  it.each([
    [['strat'], 'There is no command "strat". Did you mean "start"?'],
    [['deploy-all'], 'There is no command "deploy-all". There are: start, keys create,'],
    [['keys'], '"keys" needs one of: keys create, keys list, keys revoke.'],
    [['keys', 'revok', 'key_1'], 'There is no command "keys revok". Did you mean "keys revoke"?'],
    [['--port', '1'], 'There is no command "--port 1"'],
    [['start', '--prot', '1'], '"semel start" has no option --prot. Did you mean --port?'],
    [['start', '-x'], '"semel start" has no option -x. "semel start --help" explains it.'],
    [['start', '--port'], "Option '--port <value>' argument missing."],
    [['start', 'now'], '"now" is one argument too many.'],
    [['start', '--port', '65536'], '--port is "65536", which is not a port'],
    [['start', '--port', ''], '--port is "", which is not a port'],
    [['start', '--port', '-1'], '--port is "-1", which is not a port'],
    [['simulate', '--drop', '-0.1', '--seed', '7'], '--drop is "-0.1", which is not from 0 to 0.9.'],
    [['simulate', '--messages', '-5'], '--messages is "-5", which is not a whole number'],
    [['simulate', '--messages', '10', '--senders', '20'], 'which is not a whole number from 1 to 10, the --messages.'],
    [['keys', 'create'], 'Whose key is it? Say so with --caller <name>.'],
    [['keys', 'create', '--caller', 'a b'], '"a b" is not a caller\'s name'],
    [['keys', 'revoke'], '<keyId> is missing.'],
  ])('%j', async (words, sentence) => {
    const { code, printed, explained } = await call(...words);
    expect(explained).toContain(sentence);
    expect(explained).not.toContain('    at ');
    expect(code).toBe(2);
    expect(printed).toBe('');
  });
});

describe('bin/semel.ts', () => {
  it('hands over the words and ends with the exit code', async () => {
    const result = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, ['bin/semel.ts', 'strat'], { cwd: PROJECT_ROOT }, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(result).toEqual({ code: 2, stderr: 'There is no command "strat". Did you mean "start"?\n' });
  });
});
