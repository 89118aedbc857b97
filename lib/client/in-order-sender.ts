import { DeliveryError } from './delivery-error.ts';
import { KEY_HEADER, type KeyStorage, newKey } from './intent-keys.ts';
import type { Fetch } from './outgoing-request.ts';

export interface InOrderSenderOptions {
  /** The sender's own address at the receiver. @example 'https://api.example.com/senders/till-7' */
  readonly url: string;
  /** Sends one request until it is answered: a retrying fetch, with what authenticates it. */
  readonly fetch: Fetch;
  /** Keeps what the receiver has not applied yet; it is for one sender at a time. */
  readonly storage: KeyStorage;
}

export interface InOrderSender {
  /**
   * Numbers a message and sends it, after those that are still to be sent.
   *
   * @returns its number, once the receiver has taken it in
   * @throws DeliveryError when it has not. A message that was refused for good (400, 413, 422) is dropped; any other is
   * sent with the next one.
   */
  send(message: object): Promise<number>;
  /**
   * Asks how far the receiver is and sends again what is missing there.
   *
   * @returns how many messages it has not applied yet
   * @throws DeliveryError when it cannot be asked; RangeError when it has forgotten messages that nobody keeps any more
   */
  resume(): Promise<number>;
}

/** What leaves one after the other; a message's number is `first` plus its place. */
interface Outbox {
  /** 0 until the receiver has been asked for the first time. */
  first: number;
  readonly messages: object[];
}

/**
 * Sends messages that a receiver applies in order, each of them once.
 *
 * Each message is numbered and kept before it leaves, and dropped when the receiver's mark has passed it. Whatever
 * happens in between, the receiver recognizes what it has applied, so sending again is always safe.
 *
 * @rule R41
 * @example
 * const sender = createInOrderSender({ url: '/senders/till-7', fetch: retryingFetch, storage: localStorage });
 * await sender.send({ delta: 10 }); // 1
 * await sender.send({ delta: 5 }); // 2
 * await sender.resume(); // 0 once both are applied
 */
export function createInOrderSender({ url, fetch, storage }: InOrderSenderOptions): InOrderSender {
  const item = `semel:sender:${url}`;
  let outbox: Outbox;
  /** How many of the outbox have been sent. */
  let sent = 0;
  /** The receiver's, when it was last asked. */
  let mark = -1;
  const inTurn = turns(async () => {
    outbox = JSON.parse((await storage.getItem(item)) ?? '{"first":0,"messages":[]}');
  });
  const save = async () => storage.setItem(item, JSON.stringify(outbox));

  const look = async (): Promise<void> => {
    const response = await fetch(url);
    if (!response.ok) throw refused(response);
    const { appliedUpTo } = await response.json();
    const applied = outbox.first && appliedUpTo + 1 - outbox.first;
    if (applied < 0) throw new RangeError('The mark went back');
    // In an empty storage nothing is sent yet, even if it was emptied while the page is open.
    // A mark that moves shows that what was sent is on its way; one that stands still, that something got lost.
    sent = outbox.first && mark !== appliedUpTo ? Math.max(0, sent - applied) : 0;
    mark = appliedUpTo;
    outbox.first = appliedUpTo + 1;
    outbox.messages.splice(0, applied);
    await save();
  };

  const post = async (): Promise<void> => {
    const { first, messages } = outbox;
    for (; sent < messages.length; sent += 1) {
      // The key is new for each send: what is sent again has to arrive again.
      const headers = { 'content-type': 'application/json', [KEY_HEADER]: newKey() };
      const body = JSON.stringify({ ...messages[sent], seq: first + sent });
      const response = await fetch(`${url}/messages`, { method: 'POST', headers, body });
      if (response.ok) continue;
      // Its number goes to the next one, which has not left yet.
      if ([400, 413, 422].includes(response.status)) messages.splice(sent, 1);
      await save();
      throw refused(response);
    }
  };

  return {
    send: (message) =>
      inTurn(async () => {
        outbox.messages.push(message);
        await save();
        if (mark < 0 || !outbox.first) await look();
        await post();
        return outbox.first + sent - 1;
      }),
    resume: () =>
      inTurn(async () => {
        await look();
        await post();
        return outbox.messages.length;
      }),
  };
}

/** Runs one work after the other: a number must not be given twice, nor be overtaken. */
function turns(prepare: () => Promise<void>) {
  let turn: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(prepare).then(work);
    turn = result.catch(() => {});
    return result;
  };
}

const refused = (response: Response): DeliveryError =>
  new DeliveryError({ problem: 'not-retryable', outcome: 'none', attempts: 1, response });
