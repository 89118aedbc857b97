import { describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser } from './browser.ts';
import { onFreshPages } from './fresh-pages.ts';
import { stateOf } from './sandbox-cloud.ts';
import { type SandboxPage, WAIT } from './sandbox-page.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('the sandbox’s requests', { timeout: 60_000 }, () => {
  let cloud: LocalCloud;
  let sandbox: SandboxPage;

  onFreshPages(executable, (opened, started) => {
    sandbox = opened;
    cloud = started;
  });

  it('R17 drop responses, send, retry: replayed, and the money moved once', async () => {
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    expect(await sandbox.lines()).toEqual([expect.stringMatching(/^No answer .+ retry with the same key\. R39$/)]);
    await sandbox.expectMoney('Money moved once for 1 payment.');
    await sandbox.press('Retry with the same key');
    expect((await sandbox.lines())[0]).toMatch(/^201 Replayed .+ Nothing more was charged\. R17$/);
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', ['Payment 1: Charged once 20.00 €']);
  });

  it('R7 another amount under the same key: 422, and no more money', async () => {
    await sandbox.press('Send');
    await sandbox.enter('30');
    await sandbox.press('Retry with the same key');
    expect((await sandbox.lines())[0]).toMatch(/^422 Key reused .+ R7$/);
    await sandbox.enter('20.00');
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^201 Replayed/);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('R18 send twice at once: one is charged, one is told to come back', async () => {
    await sandbox.turn('Slow provider', true);
    await sandbox.press('Send twice at once', 2);
    const lines = (await sandbox.lines()).toSorted();
    expect(lines).toEqual([
      expect.stringMatching(/^201 Charged .+ R16$/),
      expect.stringMatching(/^409 In flight .+ R18$/),
    ]);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('R18 send twice at once and wait: both get the same answer', async () => {
    await sandbox.turn('Slow provider', true);
    await sandbox.turn('Duplicates wait', true);
    await sandbox.press('Send twice at once', 2);
    const lines = (await sandbox.lines()).toSorted();
    expect(lines).toEqual([
      expect.stringMatching(/^201 Charged/),
      expect.stringMatching(/^201 Replayed .+ waited .+ R18$/),
    ]);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('shows the double charge in red when the server ignores keys', async () => {
    await sandbox.turn('Server honors keys', false);
    await sandbox.press('Send');
    await sandbox.press('Retry with the same key');
    await sandbox.expectMoney('Money moved twice for 1 payment.');
    const verdict = sandbox.page.getByText('Charged twice!');
    expect(await verdict.isVisible()).toBe(true);
    const [red = 0, green = 0, blue = 0] = await verdict.evaluate((element) =>
      (getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number),
    );
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));
    expect((await sandbox.lines())[0]).toBe(
      '201 Charged 20.00 € charged again: this server ignores keys, so no rule applied.',
    );
  });

  it('shows what it costs when the answer gets lost and the server ignores keys', async () => {
    await sandbox.turn('Server honors keys', false);
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(
      /^No answer .+ no rule applied and a retry is a gamble: it may charge twice\.$/,
    );
    await sandbox.expectMoney('Money moved once for 1 payment.');
    await sandbox.press('Retry with the same key');
    await sandbox.expectMoney('Money moved twice for 1 payment.');
    const charges = await sandbox.panel('Side effects (money moved)', 'listitem');
    expect(charges).toEqual(['Payment 1: Charged twice! 40.00 €']);
  });

  it('does not make the browser send again by itself what got no answer', async () => {
    const dropped = async (): Promise<string> => {
      const headers = { 'content-type': 'application/json', 'local-fault': 'drop-response' };
      const body = JSON.stringify({ account: 'acct_alice', amount: 100, source: 'tok_ok' });
      // The connection was used before: only then would it.
      await fetch('/health');
      return fetch('/_local/naive/charges', { method: 'POST', headers, body }).then(
        ({ status }) => `answered ${status}`,
        (error) => error.name,
      );
    };
    const charged = async () => (await stateOf(cloud)).providerCharges.length;
    const before = await charged();
    for (let send = 1; send <= 5; send += 1) expect(await sandbox.page.evaluate(dropped)).toBe('TypeError');
    expect((await charged()) - before).toBe(5);
  });

  it('R39 shows the double charge of a client that makes a new key for each attempt', async () => {
    await sandbox.turn('Client makes a new key per attempt', true);
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    await sandbox.press('Retry with the same key');
    expect((await sandbox.lines())[0]).toMatch(/^201 Charged .+ the client made a new key.+ R39$/);
    await sandbox.expectMoney('Money moved twice for 1 payment.');
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', ['Payment 1: Charged twice! 40.00 €']);
  });

  it('R39 does not advise the same key to a client that makes a new one', async () => {
    await sandbox.turn('Client makes a new key per attempt', true);
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^No answer .+ takes a new key and may charge again\. R39$/);
  });

  it('R39 a double click is one call: the second tap joins the first', async () => {
    await sandbox.turn('Slow provider', true);
    await sandbox.button('Send').dblclick();
    await expect.poll(() => sandbox.log().count(), WAIT).toBe(2);
    expect((await sandbox.lines()).toSorted()).toEqual([
      expect.stringMatching(/^201 Charged .+ R16$/),
      expect.stringMatching(/^201 Joined .+ joined that call and has its answer.+ R39$/),
    ]);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('R39 a new key is another payment', async () => {
    await sandbox.press('Send');
    await sandbox.press('New key');
    expect(await sandbox.button('Retry with the same key').isDisabled()).toBe(true);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^201 Charged Payment 2: 20\.00 € charged/);
    await sandbox.expectMoney('Money moved twice for 2 payments.');
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', [
      'Payment 2: Charged once 20.00 €',
      'Payment 1: Charged once 20.00 €',
    ]);
  });

  it('R7 another card does not begin another payment: the one that was sent keeps its own', async () => {
    await sandbox.press('Send');
    await sandbox.turn('Slow provider', true);
    await expect.poll(async () => (await sandbox.lines())[0], WAIT).toMatch(/^Payment 1 It keeps its card.+ R7$/);
    await sandbox.press('Send');
    expect((await sandbox.lines())[0]).toMatch(/^201 Replayed/);
    await sandbox.press('New key');
    await sandbox.turn('Slow provider', false);
    await sandbox.turn('Slow provider', true);
    expect((await sandbox.lines())[0]).toMatch(/^Payment 2 Another payment, so another key/);
    await sandbox.button('Send').click();
    const newest = async () => (await sandbox.panel('Key store', 'row'))[1] ?? '';
    await expect.poll(newest, WAIT).toMatch(/in progress/);
    await sandbox.expectMoney('Money moved twice for 2 payments.');
  });

  it('shows what is stored under the key, while it runs and after', async () => {
    await sandbox.turn('Slow provider', true);
    const before = await sandbox.panel('Key store', 'row');
    await sandbox.button('Send').click();
    const newest = async () => (await sandbox.panel('Key store', 'row'))[1] ?? '';
    await expect.poll(newest, WAIT).toMatch(/\d{4}…\d{4}\s+in progress\s+1\s+leased, \d+ s left/);
    await expect.poll(newest, WAIT).toMatch(/\d{4}…\d{4}\s+completed\s+1\s+201/);
    expect(before.join()).not.toContain(await newest());
  });

  it('does not send what is no amount', async () => {
    for (const [amount, why] of [
      ['-1', 'An amount is'],
      ['12.505', 'at most two decimals'],
      ['90071992547409.92', 'at most 90071992547409.91 €'],
    ] as const) {
      await sandbox.enter(amount);
      await sandbox.press('Send');
      expect((await sandbox.lines())[0]).toMatch(/^Not sent/);
      expect((await sandbox.lines())[0]).toContain(why);
    }
    await sandbox.expectMoney('Money moved 0 times for 0 payments.');
  });

  it('reads a comma as people type it, and sends with Enter', async () => {
    const amount = sandbox.page.getByLabel('Amount in euro');
    await amount.fill('');
    await amount.pressSequentially('12,50');
    await amount.press('Enter');
    await expect.poll(async () => (await sandbox.lines())[0], WAIT).toMatch(/^201 Charged 12\.50 € charged/);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('R39 finishes after a reload what was pending before, in one charge', async () => {
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    await sandbox.page.reload();
    await expect
      .poll(() => sandbox.lines(), WAIT)
      .toEqual([
        expect.stringMatching(/^201 Replayed/),
        expect.stringMatching(/^Resumed Payment 1 was never answered/),
      ]);
    await sandbox.expectMoney('Money moved once for 1 payment.');
    await sandbox.page.reload();
    await sandbox.expectMoney('Money moved once for 1 payment.');
    expect(await sandbox.lines()).toEqual([]);
  });

  it('R16 is answered when it is refused for good, also after an answer that got lost', async () => {
    await sandbox.enter('90071992547409.91');
    await sandbox.turn('Drop responses', true);
    await sandbox.press('Send');
    const current = sandbox.page.getByText(/^Payment 1, key/);
    expect(await current.textContent()).toMatch(/not answered yet$/);
    await sandbox.press('Retry with the same key');
    expect((await sandbox.lines())[0]).toMatch(/^422 No room/);
    await expect.poll(() => current.textContent(), WAIT).not.toMatch(/not answered yet$/);
  });

  it('does not charge while a reset is under way', async () => {
    const reset = await sandbox.holdBack('**/_local/reset');
    await sandbox.pressReset();
    await reset.arrives();
    await sandbox.button('Send').click();
    await sandbox.page.waitForTimeout(500);
    expect((await stateOf(cloud)).providerCharges).toEqual([]);
    reset.release();
    const lines = [/^201 Charged/, /^Reset/].map((line) => expect.stringMatching(line));
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(lines);
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });

  it('reset empties everything', async () => {
    await sandbox.press('Send');
    await sandbox.reset();
    await sandbox.expectMoney('Money moved 0 times for 0 payments.');
    await sandbox.expectPanel('Key store', 'row', [expect.any(String), 'No key has been used yet.']);
    expect((await stateOf(cloud)).providerCharges).toEqual([]);
    await sandbox.press('Send');
    await sandbox.expectMoney('Money moved once for 1 payment.');
  });
});
