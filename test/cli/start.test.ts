import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockData } from '../../lib/local/data-lock.ts';
import { call } from './call.ts';

describe('semel start', () => {
  let server: Server;
  let taken: number;
  beforeEach(async () => {
    server = createServer();
    await new Promise<void>((listening) => server.listen(0, listening));
    taken = (server.address() as { port: number }).port;
  });
  afterEach(() => new Promise((closed) => server.close(closed)));

  it('says that a port is taken before it builds anything', async () => {
    const { code, printed, explained } = await call('start', '--port', `${taken}`);
    expect({ code, printed }).toEqual({ code: 1, printed: '' });
    expect(explained).toBe(
      `Port ${taken} is taken. Stop what listens there, or choose another with --port (0 takes a free one).`,
    );
  });

  it('takes the port from PORT when there is no --port', async () => {
    vi.stubEnv('PORT', `${taken}`);
    expect((await call('start')).explained).toMatch(`Port ${taken} is taken.`);
  });

  it('says that the data is in use before it builds anything', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'semel-data-'));
    const giveBack = lockData(folder);
    const { code, explained } = await call('start', '--port', '0', '--data-dir', folder);
    expect(code).toBe(1);
    expect(explained).toMatch(`A local cloud already runs on the data in ${folder}`);
    giveBack();
    rmSync(folder, { recursive: true });
  });

  it('names PORT when that is what is wrong', async () => {
    vi.stubEnv('PORT', 'http');
    const { code, explained } = await call('start');
    expect({ code, explained }).toEqual({ code: 2, explained: 'PORT is "http", which is not a port: 0 to 65535 are.' });
  });
});
