import type { Browser, Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';

export type Switch =
  | 'Drop responses'
  | 'Server honors keys'
  | 'Slow provider'
  | 'Client makes a new key per attempt'
  | 'Duplicates wait';

/** The sandbox page as a person uses it: by what is written on it. */
export class SandboxPage {
  readonly page: Page;
  readonly #faults: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.#faults.push(String(error)));
  }

  /** Opens the page for somebody who has never been there. */
  static async open(browser: Browser, url: string): Promise<SandboxPage> {
    const context = await browser.newContext({ viewport: { width: 1_100, height: 900 } });
    const sandbox = new SandboxPage(await context.newPage());
    await sandbox.page.goto(`${url}/sandbox`);
    return sandbox;
  }

  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.#faults).toEqual([]);
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Presses a button and waits until the log has so many more lines. */
  async press(name: string, lines = 1): Promise<void> {
    const before = await this.log().count();
    await this.button(name).filter({ visible: true }).click();
    await expect.poll(() => this.log().count(), WAIT).toBeGreaterThanOrEqual(before + lines);
  }

  pressReset(): Promise<void> {
    return this.button('Reset the local cloud').filter({ visible: true }).click();
  }

  /** Holds back the answers to requests until they are released; `arrives` waits until the server has given the first. */
  async holdBack(path: string): Promise<{ release: () => void; arrives: () => Promise<void> }> {
    const released = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const hold = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      arrived.resolve();
      await released.promise;
      await route.fulfill({ response });
    };
    // Whoever asked may have left, and so may the server.
    await this.page.route(path, (route) => hold(route).catch(() => {}));
    return { release: released.resolve, arrives: () => arrived.promise };
  }

  /** Presses reset and waits until it is done: then the log has one line. */
  async reset(): Promise<void> {
    await this.pressReset();
    await expect.poll(() => this.lines(), WAIT).toEqual([expect.stringMatching(/^Reset Everything is empty/)]);
  }

  async turn(name: Switch, on: boolean): Promise<void> {
    await this.page.getByRole('checkbox', { name }).setChecked(on);
  }

  async enter(amount: string): Promise<void> {
    await this.page.getByLabel('Amount in euro').fill(amount);
  }

  /** The lines of the log of the visible tab, newest first. */
  log(): Locator {
    return this.page.getByRole('log').filter({ visible: true }).getByRole('listitem');
  }

  async lines(): Promise<readonly string[]> {
    return (await this.log().allInnerTexts()).map((line) => line.replace(/^\S+ /, '').replaceAll('\u00a0', ' '));
  }

  /** Waits until the panel says how often the money moved. */
  async expectMoney(sentence: string): Promise<void> {
    const total = this.page.getByText(/^Money moved/);
    await expect.poll(() => total.textContent(), WAIT).toBe(sentence);
  }

  /** Waits until a panel has these lines: it is looked at anew after each line of the log, not with it. */
  async expectPanel(heading: string, role: 'listitem' | 'row', lines: readonly unknown[]): Promise<void> {
    await expect.poll(() => this.panel(heading, role), WAIT).toEqual(lines);
  }

  /** The lines of a panel, by its heading. */
  async panel(heading: string, role: 'listitem' | 'row'): Promise<readonly string[]> {
    const panel = this.page.getByRole('region', { name: heading }).filter({ visible: true });
    return (await panel.getByRole(role).allInnerTexts()).map((line) => line.replaceAll('\u00a0', ' '));
  }
}

/** A loaded machine needs time for a first look at each function. */
export const WAIT = { timeout: 25_000, interval: 100 };
