import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockData, refuseUsedData } from '../../lib/local/data-lock.ts';

const IN_USE = 'A local cloud already runs on the data in ';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'semel-lock-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const lockFile = () => join(dataDir, 'lock.json');

/** Another process, which holds the directory until it is ended. */
async function holder() {
  const script = "import { lockData } from './lib/local/data-lock.ts'; lockData(process.argv[1]); console.log('held');";
  const args = ['--input-type=module-typescript', '-e', `${script} setInterval(() => {}, 1000);`, dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a data directory', () => {
  it('is taken by one at a time, and is free when it is given back', () => {
    const giveBack = lockData(dataDir);
    expect(() => lockData(dataDir)).toThrow(`${IN_USE}${dataDir} (process ${process.pid}). Stop it, or keep`);
    giveBack();
    lockData(dataDir)();
  });

  it('is made where there is none', () => {
    const giveBack = lockData(join(dataDir, 'new', 'one'));
    expect(() => refuseUsedData(join(dataDir, 'new', 'one'))).toThrow(IN_USE);
    giveBack();
  });

  it('is refused while another process holds it, and free once that was killed', async () => {
    const other = await holder();
    try {
      expect(() => lockData(dataDir)).toThrow(`(process ${other.pid})`);
    } finally {
      await other.kill();
    }
    lockData(dataDir)();
  });

  it('is free when the id of its holder belongs to another process by now', () => {
    lockData(dataDir);
    const mark = JSON.parse(readFileSync(lockFile(), 'utf8'));
    writeFileSync(lockFile(), JSON.stringify({ ...mark, begun: '1' }));
    lockData(dataDir)();
  });

  it('is free when its lock cannot be read', () => {
    writeFileSync(lockFile(), '');
    lockData(dataDir)();
  });
});
