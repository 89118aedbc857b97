import { byId, onPress } from './element.ts';
import { type CloudState, readState, resetCloud } from './local-cloud.ts';
import { PaymentsTab } from './payments-tab.ts';
import { QueueTab } from './queue-tab.ts';
import { wireTabs } from './tabs.ts';

/** The page's entry: it wires the tabs, and looks at the local cloud over and over. */

/** How often is looked, in milliseconds. */
const INTERVAL = 1_000;

const payments = new PaymentsTab(look);
const queue = new QueueTab(look);
let isReachable = false;

async function look(): Promise<void> {
  let state: CloudState;
  try {
    state = await readState();
    await Promise.all([payments.show(state), queue.show(state)]);
  } catch {
    return found(false);
  }
  found(true);
}

/** What was pending when the cloud went, is finished when it is back, and so is what an earlier visit left. */
function found(reachable: boolean): void {
  byId('unreachable', HTMLElement).hidden = reachable;
  const isBack = reachable && !isReachable;
  isReachable = reachable;
  if (isBack) void payments.resume();
}

async function reset(): Promise<void> {
  await resetCloud();
  for (const item of Object.keys(localStorage).filter((name) => name.startsWith('semel:')))
    localStorage.removeItem(item);
  payments.clear();
  queue.clear();
  await look();
}

async function watch(): Promise<void> {
  for (;;) {
    if (!document.hidden) await look();
    await new Promise((later) => setTimeout(later, INTERVAL));
  }
}

wireTabs(byId('tabs', HTMLElement));
onPress('reset', reset);
onPress('reset-queue', reset);
void watch();
