import { byId, say } from './element.ts';
import { explainFailure, explainOutage } from './explain-failure.ts';
import { type CloudState, readState, resetCloud } from './local-cloud.ts';
import { BLOCKED, PageStorage } from './page-storage.ts';
import type { Payment } from './payment.ts';
import { PaymentsTab } from './payments-tab.ts';
import { QueueTab } from './queue-tab.ts';
import { wireTabs } from './tabs.ts';

/** The page's entry: it wires the tabs, and looks at the local cloud over and over. */

/** How often is looked, in milliseconds. */
const INTERVAL = 1_000;

const storage = new PageStorage(() => localStorage);
let wiping = new AbortController();
const page = { storage, look, reset, wiping: () => wiping.signal, afterReset: () => resetting };
const payments = new PaymentsTab(page);
const queue = new QueueTab(page);
let isReachable = false;
let resetting: Promise<void> = Promise.resolve();
/** How many looks were begun, and which of them is shown: several can be under way. */
let begun = 0;
let shown = 0;

async function look(): Promise<void> {
  begun += 1;
  const turn = begun;
  let isThere = true;
  try {
    const [state, sender] = [await readState(), await queue.lookAtSender()];
    if (turn < shown) return;
    shown = turn;
    queue.show(state, sender);
    await showPayments(state);
  } catch {
    isThere = false;
  }
  if (turn < shown) return;
  shown = turn;
  found(isThere);
}

/** What the browser did to the storage is not the cloud's fault. */
async function showPayments(state: CloudState): Promise<void> {
  let trouble = '';
  try {
    await payments.show(state);
  } catch (error) {
    trouble = explainFailure(error).text;
  }
  const blocked = `${BLOCKED} No payment and no numbered message is sent; deposits are, since they need no key.`;
  const text = storage.isBlocked ? blocked : trouble;
  say('trouble', text).hidden = text === '';
}

/** What was pending when the cloud went, is finished when it is back, and so is what an earlier visit left. */
function found(reachable: boolean): void {
  byId('unreachable', HTMLElement).hidden = reachable;
  if (!reachable) say('unreachable', explainOutage(readable()));
  const isBack = reachable && !isReachable;
  isReachable = reachable;
  if (isBack) void payments.resume();
}

/** The payments; none where what is kept of them is damaged. */
function readable(): readonly Payment[] {
  try {
    return payments.payments();
  } catch {
    return [];
  }
}

async function reset(): Promise<void> {
  const wiped = resetCloud().then(() => {
    wiping.abort();
    wiping = new AbortController();
    storage.forgetAll();
    payments.clear();
    queue.clear();
  });
  resetting = Promise.allSettled([resetting, wiped]).then(() => {});
  await wiped;
  await look();
}

async function watch(): Promise<void> {
  for (;;) {
    if (!document.hidden) await look();
    await new Promise((later) => setTimeout(later, INTERVAL));
  }
}

wireTabs(byId('tabs', HTMLElement));
void watch();
