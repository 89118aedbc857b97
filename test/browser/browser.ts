import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** First the one without windows, which needs a third less time. */
const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** What keeps it from talking to anybody but the page's server. */
const ALONE = [
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--no-sandbox'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** The machine's browser; undefined where there is none, and then it is said why nothing is tested. */
export function findBrowser(): string | undefined {
  const found = [process.env.CHROMIUM_PATH ?? '', ...CANDIDATES].find((path) => path !== '' && existsSync(path));
  if (found === undefined)
    console.warn(`No browser, so no browser tests: apt-get install chromium-headless-shell, or set CHROMIUM_PATH.`);
  return found;
}

export const startBrowser = (executablePath: string | undefined): Promise<Browser> =>
  chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ALONE });

/** How far the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
