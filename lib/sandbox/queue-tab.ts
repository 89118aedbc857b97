import { byId, fill, make } from './element.ts';
import { euros } from './euros.ts';
import { explainDeposit, explainNumber, explainResend, type SenderView, type Way } from './explain-delivery.ts';
import { explainFailure } from './explain-failure.ts';
import type { Explanation } from './explanation.ts';
import { asCaller, LOCAL_CALLER } from './local-caller.ts';
import { ask, type CloudState, orderFault, readState } from './local-cloud.ts';
import { Log } from './log.ts';
import { NumberedSender } from './numbered-sender.ts';
import type { Page } from './page.ts';
import { onPress } from './press.ts';
import { drained, QUEUES, showQueues, showSender } from './queue-panels.ts';

const AMOUNT = 1_000;

const WIPED: Explanation = {
  title: 'Wiped',
  tone: 'plain',
  text: 'What was in the queue at the reset belongs to what was wiped.',
};

/** What a press does, and what came of it; once the signal aborts, it must not do anything more. */
type Work = (signal: AbortSignal) => Promise<Explanation>;

/** The tab about messages: what a queue does wrong, and what comes of it. */
export class QueueTab {
  readonly #log = new Log('queue');
  readonly #sender: NumberedSender;
  readonly #page: Page;
  /** The deposits that this page sent. */
  #eventIds: string[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(page: Page) {
    this.#page = page;
    this.#sender = new NumberedSender(page);
    const explained = (id: string, work: Work) => onPress(id, this.#log, () => this.#inTurn(work));
    explained('deposit', (signal) => this.#deposit('sent', signal));
    explained('duplicate-delivery', (signal) => this.#deposit('sent again', signal));
    explained('drop-acknowledgement', (signal) => this.#deposit('acknowledgement lost', signal));
    explained('send-number', () => this.#orAnew(() => this.#sendNumber()));
    explained('send-gap', () => this.#orAnew(() => this.#sendGap()));
    explained('resend', (signal) => this.#orAnew(() => this.#resend(signal)));
    onPress('reset-queue', this.#log, page.reset);
  }

  show(state: CloudState, sender: SenderView): void {
    this.#showDeposits(state);
    showQueues(state);
    showSender(sender);
  }

  /** What the receiver says about this page's sender. */
  lookAtSender(): Promise<SenderView> {
    return this.#sender.look();
  }

  clear(): void {
    this.#eventIds = [];
    this.#sender.forget();
    this.#log.begin();
  }

  async #deposit(way: Way, signal: AbortSignal): Promise<Explanation> {
    // One that was wiped elsewhere cannot be delivered again.
    const known = way === 'sent again' ? await this.#newestCredited() : undefined;
    signal.throwIfAborted();
    const eventId = known ?? `deposit-${crypto.randomUUID()}`;
    if (known === undefined) this.#eventIds.push(eventId);
    if (way === 'acknowledgement lost') await orderFault(QUEUES.deposits, 'lose-acknowledgement', signal);
    const body = JSON.stringify({ eventId, account: LOCAL_CALLER.account, amount: AMOUNT });
    // The first of "again": a delivery can only be repeated when there was one.
    for (let sends = way === 'sent again' && known === undefined ? 2 : 1; sends > 0; sends -= 1) {
      await ask('/deposits', { method: 'POST', headers: asCaller(), body, signal });
    }
    await drained(QUEUES.deposits);
    return explainDeposit(way, creditedOf(eventId, await readState()));
  }

  async #newestCredited(): Promise<string | undefined> {
    const state = await readState();
    return this.#eventIds.findLast((eventId) => creditedOf(eventId, state) > 0);
  }

  async #sendNumber(): Promise<Explanation> {
    const seq = await this.#sender.send();
    await drained(QUEUES.senders);
    return explainNumber(seq, await this.#sender.look());
  }

  async #sendGap(): Promise<Explanation> {
    const lost = await this.#sender.sendIntoTheVoid();
    const text = 'It never arrives. Its sender does not know that yet, but keeps what is not applied.';
    this.#log.add({ title: `Number ${lost} lost`, tone: 'plain', rule: 'R41', text });
    return await this.#sendNumber();
  }

  /** The first look may see the mark move and wait; the next one sends what is still missing, and the last one knows. */
  async #resend(signal: AbortSignal): Promise<Explanation> {
    const resent = new Set<number>();
    let left = Number.POSITIVE_INFINITY;
    for (let look = 0; left > 0 && look < 4; look += 1) {
      if (look > 0) await drained(QUEUES.senders);
      signal.throwIfAborted();
      const resumed = await this.#sender.resume();
      left = resumed.left;
      for (const seq of resumed.resent) resent.add(seq);
    }
    const parked = this.#sender.parkedAmong(await readState());
    return explainResend({ left, resent: [...resent], parked }, await this.#sender.look());
  }

  /** One press after the other: what comes of one must not be taken for the next one's, nor for what a reset wiped. */
  async #inTurn(work: Work): Promise<void> {
    await this.#page.afterReset();
    const signal = this.#page.wiping();
    const turn = this.#turn.then(() => this.#explain(work, signal));
    this.#turn = turn.catch(() => {});
    await turn;
  }

  /** Says what came of some work, unless a reset came in between: then nothing did, and it is not waited for. */
  async #explain(work: Work, signal: AbortSignal): Promise<void> {
    const wiped = new Promise<Explanation>((end) => signal.addEventListener('abort', () => end(WIPED)));
    const explanation = signal.aborted ? WIPED : await Promise.race([work(signal).catch(explainFailure), wiped]);
    await this.#page.afterReset();
    this.#log.add(signal.aborted ? WIPED : explanation);
    await this.#page.look();
  }

  /** A cloud that was started anew knows nothing of what it had applied: then the sender begins anew, too. */
  async #orAnew(work: () => Promise<Explanation>): Promise<Explanation> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#sender.forget();
      const text = 'The local cloud has forgotten this sender, so it counts from 1 again.';
      this.#log.add({ title: 'Started anew', tone: 'plain', rule: 'R41', text });
      return await work();
    }
  }

  /** What the cloud credited, in that order, also before this page was opened, and then what it did not (yet). */
  #showDeposits(state: CloudState): void {
    const credited = state.entries.filter(({ kind }) => kind === 'deposit');
    const inOrder = credited.toSorted((one, other) => one.createdAt - other.createdAt);
    const eventIds = new Set([...inOrder.map(({ operation }) => operation), ...this.#eventIds]);
    const lines = [...eventIds].map((eventId, index) => lineOf(index + 1, eventId, credited));
    const empty = make('li', { className: 'empty' }, 'Nothing has been deposited yet.');
    fill(byId('deposits', HTMLUListElement), ...(lines.length > 0 ? lines.toReversed() : [empty]));
  }
}

function lineOf(number: number, eventId: string, credited: CloudState['entries']): HTMLLIElement {
  const credits = credited.filter(({ operation }) => operation === eventId);
  const times = credits.length;
  const verdict = times === 1 ? 'Credited once' : times === 0 ? 'Not credited yet' : `Credited ${times} times!`;
  const amount = credits.reduce((sum, credit) => sum + credit.amount, 0);
  return make(
    'li',
    { className: times === 1 ? 'good' : times === 0 ? 'plain' : 'bad', title: eventId },
    `Deposit ${number}: `,
    make('strong', {}, verdict),
    ` ${euros(amount)}`,
  );
}

const creditedOf = (eventId: string, { entries }: CloudState): number =>
  entries.filter(({ kind, operation }) => kind === 'deposit' && operation === eventId).length;
