import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser } from './browser.ts';
import { onFreshPages } from './fresh-pages.ts';
import { stateOf } from './sandbox-cloud.ts';
import { type SandboxPage, WAIT } from './sandbox-page.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('a page whose local cloud', { timeout: 60_000 }, () => {
  let cloud: LocalCloud;
  let sandbox: SandboxPage;
  let page: Page;

  onFreshPages(executable, async (opened, started) => {
    sandbox = opened;
    cloud = started;
    page = opened.page;
    await sandbox.reset();
  });

  const silence = () => page.route('**', (route) => route.abort());
  const banner = async () => {
    const found = page.getByText(/The local cloud does not answer/);
    await expect.poll(() => found.isVisible(), WAIT).toBe(true);
    return await found.textContent();
  };

  it('does not answer says so at each press, a reset’s too, and keeps what is there', async () => {
    const charged = ['Payment 1: Charged once 20.00 €'];
    await sandbox.press('Send');
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', charged);
    await silence();
    await sandbox.press('Reset the local cloud');
    expect((await sandbox.lines())[0]).toMatch(/^No answer The local cloud did not answer/);
    expect(await banner()).toBe('The local cloud does not answer.');
    expect(await sandbox.panel('Side effects (money moved)', 'listitem')).toEqual(charged);
    await page.getByRole('tab', { name: 'Queue' }).click();
    for (const name of ['Send a deposit', 'Drop an acknowledgement', 'Reset the local cloud']) {
      await sandbox.press(name);
      expect((await sandbox.lines())[0]).toMatch(/^No answer The local cloud did not answer/);
    }
  });

  it('stops answering between two looks says so at once, and does not try again before', async () => {
    let asked = 0;
    await page.route('**/senders/sandbox', (route) => {
      asked += 1;
      // What is asked again is not answered at all.
      return asked === 1 ? route.abort() : undefined;
    });
    const found = page.getByText('The local cloud does not answer.');
    await expect.poll(() => found.isVisible(), WAIT).toBe(true);
  });

  it('answers what is no answer says so, and recovers', async () => {
    const found = page.getByText(/The local cloud does not answer/);
    await expect.poll(() => found.isVisible(), WAIT).toBe(false);
    await page.route('**/_local/state', (route) => route.fulfill({ json: {} }));
    await banner();
    await page.unroute('**/_local/state');
    await expect.poll(() => found.isVisible(), WAIT).toBe(false);
  });

  it('R39 is not promised to finish what a server got that ignores keys', async () => {
    await sandbox.turn('Server honors keys', false);
    await page.route('**/_local/naive/charges', (route) => route.fulfill({ status: 502 }));
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(
      /^502 Failed .+ ignores keys, so no rule applied and a retry is a gamble: it may charge twice\.$/,
    );
    await silence();
    expect(await banner()).toMatch(/^The local cloud does not answer\. Payment 1 is not sent again by itself/);
  });

  it('R39 is reset while a payment is pending: its answer is not the next one’s', async () => {
    await sandbox.turn('Slow provider', true);
    await sandbox.button('Send').click();
    await expect.poll(async () => (await stateOf(cloud)).records.length, WAIT).toBe(1);
    await sandbox.button('Reset the local cloud').click();
    const lines = [
      expect.stringMatching(/^Wiped Payment 1 was pending at the reset/),
      expect.stringMatching(/^Reset Everything is empty/),
    ];
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(lines);
    await sandbox.expectMoney('Money moved 0 times for 0 payments.');
    await page.waitForTimeout(4_000);
    expect(await sandbox.lines()).toEqual(lines);
    expect((await stateOf(cloud)).providerCharges).toEqual([]);
    await sandbox.turn('Slow provider', false);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^201 Charged .+ R16$/);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });
});
