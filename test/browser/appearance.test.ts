import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBrowser, overflowOf } from './browser.ts';
import { faintBorders, faintTexts } from './contrast.ts';
import { onFreshPages } from './fresh-pages.ts';
import type { SandboxPage } from './sandbox-page.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('the sandbox’s appearance', { timeout: 60_000 }, () => {
  let sandbox: SandboxPage;
  let page: Page;

  onFreshPages(executable, (opened) => {
    sandbox = opened;
    page = opened.page;
  });

  /** Something of each tone on the page. */
  async function fill(): Promise<void> {
    await sandbox.turn('Server honors keys', false);
    await sandbox.press('Send twice at once', 2);
    await sandbox.turn('Server honors keys', true);
    await sandbox.press('New key');
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    await sandbox.press('Retry with the same key');
    await sandbox.expectMoney('Money moved 3 times for 2 payments: 1 was charged more than once.');
  }

  it.each(['light', 'dark'] as const)('is readable in a %s theme, and fits on a phone', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await fill();
    for (const tab of ['Requests', 'Queue']) {
      await page.getByRole('tab', { name: tab }).click();
      expect([...(await faintTexts(page)), ...(await faintBorders(page))]).toEqual([]);
      for (const width of [1_100, 375]) {
        await page.setViewportSize({ width, height: 700 });
        expect(await overflowOf(page)).toBe(0);
        // For people to look at; what can be measured is measured.
        await page.screenshot({ path: `reports/sandbox/${tab}-${colorScheme}-${width}.png`, fullPage: true });
      }
    }
  });

  it.each([
    ['a desktop', { width: 1_280, height: 720 }],
    ['a phone', { width: 375, height: 667 }],
  ])('says what just happened where one looks, on %s', async (_, viewport) => {
    await page.setViewportSize(viewport);
    await sandbox.press('Send');
    const isInView = async (text: string | RegExp) => {
      const box = await page.getByRole('status').filter({ hasText: text }).filter({ visible: true }).boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= viewport.height;
    };
    expect(await page.evaluate(() => scrollY)).toBe(0);
    // The rule in words: a tooltip is nothing for a finger.
    expect(await isInView(/201 Charged.+R16 What is final and stored\.$/)).toBe(true);
    await page.getByRole('tab', { name: 'Queue' }).click();
    await sandbox.press('Send a deposit');
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await isInView(/Credited once.+R25 A message and its effects are one transaction\.$/)).toBe(true);
  });

  it('keeps the list of what moved in bounds', async () => {
    // Measured at once: the page soon shows again what there is.
    const height = await page.locator('#money').evaluate((facts) => {
      for (let line = 0; line < 60; line += 1) {
        facts.append(Object.assign(document.createElement('li'), { textContent: `Payment ${line}` }));
      }
      return facts.clientHeight;
    });
    expect(height).toBeGreaterThan(200);
    expect(height).toBeLessThanOrEqual(400);
  });

  it('has two themes', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
  });

  it('can be used with a keyboard', async () => {
    await page.getByRole('tab', { name: 'Requests' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await sandbox.button('Send a deposit').isVisible()).toBe(true);
    expect(await sandbox.button('Send').isVisible()).toBe(false);
    await page.keyboard.press('ArrowLeft');
    await page.getByLabel('Amount in euro').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await sandbox.expectMoney('Money moved once for 1 payment.');
    await page.getByRole('checkbox', { name: 'Server honors keys' }).focus();
    await page.keyboard.press('Space');
    expect(await page.getByRole('checkbox', { name: 'Server honors keys' }).isChecked()).toBe(false);
  });

  it('names everything that can be pressed', async () => {
    const names = await page.locator('button, input').evaluateAll((elements) =>
      elements.map((element) => {
        const labels = (element as HTMLInputElement).labels ?? [];
        return (element.textContent || [...labels].map((label) => label.textContent).join(' ')).trim();
      }),
    );
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => name === '')).toEqual([]);
  });
});
