import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser, startBrowser } from './browser.ts';
import { sandboxCloud, stateOf } from './sandbox-cloud.ts';
import { SandboxPage } from './sandbox-page.ts';

const executable = findBrowser();
/** What a lease can take to lapse after its function was ended, and a machine that is busy. */
const PATIENCE = { timeout: 80_000, interval: 500 };

describe.skipIf(executable === undefined)('a page that is open while the local cloud is restarted', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'semel-sandbox-'));
  let browser: Browser;
  let cloud: LocalCloud | undefined;

  beforeAll(async () => {
    [browser, cloud] = await Promise.all([startBrowser(executable), sandboxCloud({ dataDir })]);
  }, 90_000);
  afterAll(async () => {
    await Promise.all([browser?.close(), cloud?.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('R39 says so, recovers, and ends its pending payment in one charge', { timeout: 150_000 }, async () => {
    const { url } = cloud as LocalCloud;
    const sandbox = await SandboxPage.open(browser, url);
    const banner = sandbox.page.getByText(/The local cloud does not answer/);
    await sandbox.turn('Slow provider', true);
    await sandbox.button('Send').click();
    await expect.poll(async () => (await stateOf({ url })).records.length, PATIENCE).toBe(1);

    await cloud?.stop();
    cloud = undefined;
    await expect.poll(() => banner.isVisible(), PATIENCE).toBe(true);
    expect((await sandbox.lines())[0]).toMatch(/^((No answer|502 Failed) .+ R39|503 Outcome unknown .+ R15)$/);

    cloud = await sandboxCloud({ dataDir, port: Number(new URL(url).port) });
    await expect.poll(() => banner.isVisible(), PATIENCE).toBe(false);
    await expect.poll(async () => (await sandbox.lines())[0], PATIENCE).toMatch(/^201 /);
    expect(await sandbox.lines()).toContainEqual(expect.stringMatching(/^Resumed Payment 1 was never answered/));
    await sandbox.expectMoney('Money moved once for 1 payment.');
    const { providerCharges, entries } = await stateOf({ url });
    expect(providerCharges.map(({ status }) => status)).toEqual(['succeeded']);
    expect(entries.filter(({ kind }) => kind === 'charge').length).toBe(1);
    await sandbox.close();
  });
});
