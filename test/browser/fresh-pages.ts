import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { startBrowser } from './browser.ts';
import { sandboxCloud } from './sandbox-cloud.ts';
import { SandboxPage } from './sandbox-page.ts';

/** Gives each test of a file a page that was just opened, on a browser and a local cloud of the file's own. */
export function onFreshPages(
  executable: string | undefined,
  opened: (sandbox: SandboxPage, cloud: LocalCloud) => void | Promise<void>,
): void {
  let browser: Browser;
  let cloud: LocalCloud;
  let sandbox: SandboxPage;

  beforeAll(async () => {
    [browser, cloud] = await Promise.all([startBrowser(executable), sandboxCloud()]);
  }, 90_000);
  afterAll(async () => {
    await Promise.all([browser?.close(), cloud?.stop()]);
  });
  beforeEach(async () => {
    sandbox = await SandboxPage.open(browser, cloud.url);
    await opened(sandbox, cloud);
  });
  afterEach(() => sandbox.close());
}
