import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser, startBrowser } from './browser.ts';
import { sandboxCloud } from './sandbox-cloud.ts';
import { SandboxPage, WAIT } from './sandbox-page.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('a page whose local cloud', { timeout: 60_000 }, () => {
  let browser: Browser;
  let cloud: LocalCloud;
  let sandbox: SandboxPage;
  let page: Page;

  beforeAll(async () => {
    [browser, cloud] = await Promise.all([startBrowser(executable), sandboxCloud()]);
  }, 90_000);
  afterAll(async () => {
    await Promise.all([browser?.close(), cloud?.stop()]);
  });
  beforeEach(async () => {
    sandbox = await SandboxPage.open(browser, cloud.url);
    page = sandbox.page;
    await sandbox.reset();
  });
  afterEach(() => sandbox.close());

  const silence = () => page.route('**', (route) => route.abort());
  const banner = async () => {
    const found = page.getByText(/The local cloud does not answer/);
    await expect.poll(() => found.isVisible(), WAIT).toBe(true);
    return await found.textContent();
  };

  it('does not answer says so at each press, a reset’s too, and keeps what is there', async () => {
    await sandbox.press('Send');
    await silence();
    await sandbox.press('Reset the local cloud');
    expect((await sandbox.lines())[0]).toMatch(/^No answer The local cloud did not answer/);
    expect(await banner()).toBe('The local cloud does not answer.');
    expect(await sandbox.panel('Side effects (money moved)', 'listitem')).toEqual(['Payment 1: Charged once 20.00 €']);
    await page.getByRole('tab', { name: 'Queue' }).click();
    for (const name of ['Send a deposit', 'Drop an acknowledgement', 'Reset the local cloud']) {
      await sandbox.press(name);
      expect((await sandbox.lines())[0]).toMatch(/^No answer The local cloud did not answer/);
    }
  });
});
