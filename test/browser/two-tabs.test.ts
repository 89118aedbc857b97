import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser, startBrowser } from './browser.ts';
import { sandboxCloud, stateOf } from './sandbox-cloud.ts';

type Client = typeof import('../../lib/exports/client.ts');
declare global {
  var semel: Client;
}

const executable = findBrowser();

/** The client as a page would load it. */
async function clientScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['lib/exports/client.ts'],
    ...{ bundle: true, minify: true, format: 'iife', globalName: 'semel', platform: 'browser', write: false },
  });
  return `${outputFiles?.[0]?.text}; globalThis.semel = semel;`;
}

/** Pays an order in a tab, through a storage of all tabs that takes its time, or hangs over a write. */
const payIn = (tab: Page, order: string, { hangs = false, deadline = 20_000 } = {}) =>
  tab.evaluate(
    async ({ order, hangs, deadline }) => {
      const slowly = () => new Promise((later) => setTimeout(later, 100));
      const storage = {
        getItem: async (name: string) => {
          await slowly();
          return localStorage.getItem(name);
        },
        setItem: async (name: string, value: string) => {
          await (hangs ? new Promise(() => {}) : slowly());
          localStorage.setItem(name, value);
        },
        removeItem: (name: string) => localStorage.removeItem(name),
      };
      const pay = semel.createRetryingFetch({ storage, deadline }).intent(order);
      const headers = { authorization: 'Bearer sk_local_alice', 'content-type': 'application/json' };
      const body = JSON.stringify({ account: 'acct_alice', amount: 2000, source: 'tok_ok' });
      return pay('/charges', { method: 'POST', headers, body }).then(
        async (answer) => ({ status: answer.status, body: await answer.text() }),
        ({ problem, outcome }) => ({ problem, outcome }),
      );
    },
    { order, hangs, deadline },
  );

describe.skipIf(executable === undefined)('two tabs of one page', () => {
  let browser: Browser;
  let cloud: LocalCloud;
  let script: string;
  let context: BrowserContext;

  beforeAll(async () => {
    [browser, cloud, script] = await Promise.all([startBrowser(executable), sandboxCloud(), clientScript()]);
  }, 90_000);
  afterAll(() => Promise.all([browser?.close(), cloud?.stop()]));
  beforeEach(async () => {
    context = await browser.newContext();
  });
  afterEach(() => context.close());

  const open = async (): Promise<Page> => {
    const tab = await context.newPage();
    await tab.goto(`${cloud.url}/sandbox`);
    await tab.evaluate(script);
    return tab;
  };
  const charges = async () => (await stateOf(cloud)).entries.filter(({ kind }) => kind === 'charge').length;

  it('R39 make one key for one intent, and one charge', async () => {
    const before = await charges();
    const tabs = await Promise.all([open(), open(), open()]);
    const [first, ...others] = await Promise.all(tabs.map((tab) => payIn(tab, 'order-1')));
    expect(first).toMatchObject({ status: 201 });
    expect(others).toEqual([first, first]);
    expect(await charges()).toBe(before + 1);
  });

  it('R40 wait for one that hangs over its key no longer than they may, and pay once it is closed', async () => {
    const before = await charges();
    const [hung, other] = [await open(), await open()];
    expect(await payIn(hung, 'order-2', { hangs: true, deadline: 500 })).toEqual({
      problem: 'storage',
      outcome: 'none',
    });
    expect(await payIn(other, 'order-2', { deadline: 500 })).toEqual({ problem: 'storage', outcome: 'unknown' });
    await hung.close();
    expect(await payIn(other, 'order-2')).toMatchObject({ status: 201 });
    expect(await charges()).toBe(before + 1);
  });
});
