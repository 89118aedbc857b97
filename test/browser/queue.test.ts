import { describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../lib/local/start.ts';
import { findBrowser } from './browser.ts';
import { onFreshPages } from './fresh-pages.ts';
import { stateOf } from './sandbox-cloud.ts';
import { type SandboxPage, WAIT } from './sandbox-page.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('the sandbox’s queue', { timeout: 60_000 }, () => {
  let cloud: LocalCloud;
  let sandbox: SandboxPage;

  onFreshPages(executable, async (opened, started) => {
    sandbox = opened;
    cloud = started;
    await sandbox.page.getByRole('tab', { name: 'Queue' }).click();
    await sandbox.reset();
  });

  const deposits = async () => (await stateOf(cloud)).entries.filter(({ kind }) => kind === 'deposit').length;

  const expectMark = (mark: string) =>
    expect.poll(() => sandbox.page.getByText(/^Applied up to/).textContent(), WAIT).toBe(mark);

  it('R26 a delivery that is duplicated is credited once', async () => {
    await sandbox.press('Send a deposit');
    await sandbox.press('Duplicate a delivery');
    expect((await sandbox.lines()).slice(0, 2)).toEqual([
      expect.stringMatching(/^Credited once .+ two messages with one event id.+ R26$/),
      expect.stringMatching(/^Credited once .+ R25$/),
    ]);
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', ['Deposit 1: Credited once 10.00 €']);
    expect(await deposits()).toBe(1);
  });

  it('R25 shows after a reload what was credited before', async () => {
    await sandbox.press('Send a deposit');
    await sandbox.press('Send a deposit');
    await sandbox.page.reload();
    await sandbox.page.getByRole('tab', { name: 'Queue' }).click();
    await sandbox.expectPanel('Side effects (money moved)', 'listitem', [
      'Deposit 2: Credited once 10.00 €',
      'Deposit 1: Credited once 10.00 €',
    ]);
  });

  it('R25 an acknowledgement that is dropped brings the message back, and it is credited once', async () => {
    await sandbox.press('Drop an acknowledgement');
    expect((await sandbox.lines())[0]).toMatch(/^Credited once .+ delivered it again.+ R25$/);
    expect(await deposits()).toBe(1);
    const { calls } = await (await fetch(`${cloud.url}/_local/calls`)).json();
    const writes = calls.filter((call: { function: string }) => call.function.includes('DepositQueue'));
    expect(writes.length).toBe(2);
  });

  const wiped = [
    expect.stringMatching(/^Wiped What was in the queue at the reset/),
    expect.stringMatching(/^Reset Everything is empty/),
  ];

  it.each([
    ['Send a deposit', '**/deposits'],
    ['Send the next number', '**/senders/sandbox/messages'],
  ])('R25 what a reset wipes is not told as if it were there: %s', async (name, path) => {
    const answer = await sandbox.holdBack(path);
    await sandbox.button(name).click();
    await answer.arrives();
    const reset = sandbox.page.waitForResponse('**/_local/reset');
    await sandbox.pressReset();
    await (await reset).finished();
    answer.release();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(wiped);
  });

  it('R25 what was in the queue at a reset that takes long is not taken for a dead letter', async () => {
    const reset = await sandbox.holdBack('**/_local/reset');
    await sandbox.button('Drop an acknowledgement').click();
    await expect.poll(deposits, WAIT).toBe(1);
    await sandbox.pressReset();
    await reset.arrives();
    // The press looks at the queue in the meantime, and finds that it is empty.
    await sandbox.page.waitForTimeout(1_000);
    reset.release();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(wiped);
  });

  it('R25 a press that gets no answer ends with a reset, and does not hold up the next', async () => {
    await sandbox.page.route('**/deposits', () => {});
    await sandbox.button('Send a deposit').click();
    await sandbox.pressReset();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(wiped);
    await sandbox.press('Send the next number');
    expect((await sandbox.lines())[0]).toMatch(/^Number 1 applied/);
  });

  it('R25 what is pressed before a reset does not go on after it', async () => {
    const fault = await sandbox.holdBack('**/_local/faults');
    await sandbox.button('Drop an acknowledgement').click();
    await fault.arrives();
    await sandbox.pressReset();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(wiped);
    fault.release();
    await sandbox.press('Send a deposit');
    expect(await deposits()).toBe(1);
  });

  it('R25 what is sent during a reset is sent after it', async () => {
    const reset = await sandbox.holdBack('**/_local/reset');
    await sandbox.pressReset();
    await reset.arrives();
    await sandbox.button('Send a deposit').click();
    await sandbox.page.waitForTimeout(500);
    expect(await deposits()).toBe(0);
    reset.release();
    const lines = [/^Credited once/, /^Reset/].map((line) => expect.stringMatching(line));
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(lines);
    expect(await deposits()).toBe(1);
  });

  it('R41 what a reset wiped is not sent any more', async () => {
    await sandbox.page.route('**/senders/sandbox/messages', (route) => route.abort());
    await sandbox.button('Send the next number').click();
    await sandbox.page.waitForRequest('**/senders/sandbox/messages');
    await sandbox.page.unroute('**/senders/sandbox/messages');
    await sandbox.pressReset();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(wiped);
    await sandbox.press('Send the next number');
    expect((await sandbox.lines())[0]).toMatch(/^Number 1 applied/);
    await expectMark('Applied up to 1, total 10. Expected next: 2.');
  });

  it('R26 a delivery of before a reset that another page made is not said to be repeated', async () => {
    await sandbox.press('Send a deposit');
    await fetch(`${cloud.url}/_local/reset`, { method: 'POST' });
    let sends = 0;
    sandbox.page.on('request', (request) => {
      if (request.url().endsWith('/deposits')) sends += 1;
    });
    await sandbox.press('Duplicate a delivery');
    expect((await sandbox.lines())[0]).toMatch(/^Credited once .+ two messages with one event id.+ R26$/);
    expect([sends, await deposits()]).toEqual([2, 1]);
  });

  it('R29 two gaps at once are two gaps', async () => {
    await sandbox.button('Send a gap').dblclick();
    const lines = [/^Number 4 set aside/, /^Number 3 lost/, /^Number 2 set aside/, /^Number 1 lost/, /^Reset/];
    await expect.poll(() => sandbox.lines(), WAIT).toEqual(lines.map((line) => expect.stringMatching(line)));
    await expectMark('Applied up to 0, total 0. Expected next: 1. Missing: 1, 3.');
  });

  it('R29 a gap that could not be kept does not lose the next message', async () => {
    await sandbox.page.evaluate(() => localStorage.setItem('semel:sender:/senders/sandbox', '[{'));
    await sandbox.press('Send a gap');
    expect((await sandbox.lines())[0]).toMatch(/^Not kept/);
    await sandbox.pressReset();
    await expect.poll(() => sandbox.lines(), WAIT).toEqual([expect.stringMatching(/^Reset/)]);
    await sandbox.press('Send the next number');
    expect((await sandbox.lines())[0]).toMatch(/^Number 1 applied/);
  });

  it('R29 a gap is set aside, shown, and closed by sending again', async () => {
    await sandbox.press('Send the next number');
    await sandbox.press('Send a gap', 2);
    expect((await sandbox.lines()).slice(0, 2)).toEqual([
      expect.stringMatching(/^Number 3 set aside 2 is missing before it\..+ R29$/),
      expect.stringMatching(/^Number 2 lost/),
    ]);
    await expectMark('Applied up to 1, total 10. Expected next: 2. Missing: 2.');
    await expect.poll(() => sandbox.page.getByText('gap sandbox:3').isVisible(), WAIT).toBe(true);
    await sandbox.press('Resend what is missing');
    expect((await sandbox.lines())[0]).toBe(
      'Nothing missing Sent again: 2, 3. Everything up to 3 is applied, total 30. ' +
        'The dead letter of 3 stays, though its number was applied by now: sent back to its queue it would be a duplicate. R41',
    );
    await sandbox.press('Resend what is missing');
    expect((await sandbox.lines())[0]).toMatch(/^Nothing missing Nothing had to be sent again\. Everything up to 3 /);
    await expectMark('Applied up to 3, total 30. Expected next: 4.');
  });

  it('R41 the sender sends again what it still keeps, and counts from 1 again where it keeps nothing', async () => {
    await sandbox.press('Send the next number');
    await fetch(`${cloud.url}/_local/reset`, { method: 'POST' });
    await sandbox.press('Resend what is missing');
    expect((await sandbox.lines())[0]).toMatch(
      /^Nothing missing Sent again: 1\. Everything up to 1 is applied, total 10\. R41$/,
    );
    await fetch(`${cloud.url}/_local/reset`, { method: 'POST' });
    await sandbox.press('Resend what is missing', 2);
    expect((await sandbox.lines())[1]).toMatch(/^Started anew/);
    await sandbox.press('Send the next number');
    expect((await sandbox.lines())[0]).toMatch(/^Number 1 applied/);
  });
});
