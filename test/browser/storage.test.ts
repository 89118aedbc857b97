import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser } from './browser.ts';
import { onFreshPages } from './fresh-pages.ts';
import { stateOf } from './sandbox-cloud.ts';
import { type SandboxPage, WAIT } from './sandbox-page.ts';

const executable = findBrowser();

/** As a browser does it whose user blocks what pages keep. */
const block = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      },
    });
  });

/** Leaves no room for anything. */
const fillUp = (page: Page) =>
  page.evaluate(() => {
    for (let size = 2 ** 22; size >= 1; size /= 2) {
      try {
        for (let item = 0; ; item += 1) localStorage.setItem(`other:${size}:${item}`, 'x'.repeat(size));
      } catch {}
    }
  });

describe.skipIf(executable === undefined)('a page whose browser', { timeout: 60_000 }, () => {
  let cloud: LocalCloud;
  let sandbox: SandboxPage;
  let page: Page;

  onFreshPages(executable, (opened, started) => {
    sandbox = opened;
    cloud = started;
    page = opened.page;
  });

  const charges = async () => (await stateOf(cloud)).providerCharges.length;
  const unreachable = () => page.getByText(/The local cloud does not answer/).isVisible();
  const expectNothingSent = async (why: RegExp) => {
    for (const name of ['Send', 'New key']) {
      await sandbox.press(name);
      expect((await sandbox.lines())[0]).toMatch(why);
    }
    await page.getByRole('tab', { name: 'Queue' }).click();
    await sandbox.press('Send the next number');
    expect((await sandbox.lines())[0]).toMatch(why);
    expect(await unreachable()).toBe(false);
    expect(await charges()).toBe(0);
  };

  it('R39 keeps nothing says so, shows the cloud, and sends nothing that needs a key', async () => {
    await block(page);
    await page.reload();
    await expect.poll(() => page.getByText(/^This browser keeps nothing for this page/).isVisible(), WAIT).toBe(true);
    await sandbox.expectPanel('Key store', 'row', [expect.any(String), 'No key has been used yet.']);
    await expectNothingSent(/^Not kept This browser keeps nothing for this page.+ R39$/);
    await sandbox.reset();
  });

  it('R39 has no room left says so, and sends nothing that needs a key', async () => {
    await fillUp(page);
    await expectNothingSent(/^Not kept .+ is full.+ R39$/);
  });

  it('R39 damaged what it kept says so, and begins anew after a reset', async () => {
    await page.evaluate(() => localStorage.setItem('semel:sandbox:payments', '[{'));
    await page.reload();
    const banner = page
      .getByText(/damaged\. Reset/)
      .filter({ visible: true })
      .first();
    await expect.poll(() => banner.isVisible(), WAIT).toBe(true);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^Not kept .+ damaged\. Reset/);
    expect(await unreachable()).toBe(false);
    expect(await charges()).toBe(0);
    await sandbox.reset();
    await expect.poll(() => banner.isVisible(), WAIT).toBe(false);
    await sandbox.press('Send');
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });
});
