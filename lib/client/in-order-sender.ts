import { DeliveryError } from './delivery-error.ts';
import { max, min, parse, stringify } from './globals.ts';
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
   * @throws DeliveryError when it has not. With outcome `none` it was refused for good (400, 413, 422) and dropped. Else
   * it is kept and sent with the next one; a `dropped` in the error is an earlier message, which was refused for good.
   * The storage's own error when it could not be kept; then it is not sent.
   */
  send(message: object): Promise<number>;
  /**
   * Asks how far the receiver is and sends again what is missing there.
   *
   * @returns how many messages it has not applied yet
   * @throws DeliveryError when it cannot be asked, or has refused a message, which is `dropped` if it was for good;
   * RangeError when its mark is none, or when it has forgotten messages that nobody keeps any more
   */
  resume(): Promise<number>;
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
  let messages: object[]; // what leaves one after the other; its number is `first` plus its place
  let first: number; // 0 until the receiver has been asked for the first time
  let taken = 0; // how many of them the receiver has taken in
  let mark = -1; // the receiver's; until it is known, ~mark is the number of messages that were given meanwhile
  let left: string | null; // by this sender; what another one left, or what was put back, says nothing of the receiver
  const inTurn = turns(async () => {
    const kept = await storage.getItem(item);
    if (kept !== left) [taken, mark] = [0, -1];
    ({ first, messages } = parse(kept ?? '{"first":0,"messages":[]}'));
  });
  const save = async () => {
    left = stringify({ by: newKey(), first, messages });
    await storage.setItem(item, left);
  };
  const look = async (): Promise<number> => {
    const response = await fetch(url);
    if (!response.ok) throw refused(response);
    const { appliedUpTo: now } = await response.json();
    const applied = first && now + 1 - first;
    if (!Number.isInteger(now) || min(now, applied) < 0) throw new RangeError(`Odd mark ${now}`);
    taken = max(0, taken - applied);
    const from = mark === now ? 0 : taken; // a mark that stands still shows that something got lost on its way
    // What has never left is not applied, though a storage that was put back to an earlier state makes it look so.
    messages.splice(0, min(applied, messages.length - max(0, ~mark)));
    first = now + 1;
    await save();
    mark = now;
    return from;
  };
  const post = async (place = taken): Promise<number> => {
    for (; place < messages.length; place++) {
      const response = await fetch(`${url}/messages`, numbered(messages[place], first + place));
      if (response.ok) taken = max(taken, place + 1);
      else {
        // Its number goes to the next one. What was taken in before keeps it, since it may still be applied.
        const [dropped] = messages.splice(place, [400, 413, 422].includes(response.status) && place >= taken ? 1 : 0);
        await save();
        throw refused(response, dropped);
      }
    }
    return messages.length;
  };
  const postAll = async (): Promise<number> => {
    if (mark < 0) await look();
    return first - 1 + (await post());
  };
  const give = async (message: object): Promise<number> => {
    messages.push(message);
    await save();
    mark -= +(mark < 0);
    return postAll().catch(about(message));
  };
  return {
    send: async (message) => inTurn(give.bind(null, parse(stringify(message)))), // as it is now, and would be read again
    resume: () => inTurn(async () => post(await look())),
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

const numbered = (message: object | undefined, seq: number): RequestInit => ({
  method: 'POST',
  // The key is new for each send: what is sent again has to arrive again.
  headers: { 'content-type': 'application/json', [KEY_HEADER]: newKey() },
  body: stringify({ ...message, seq }),
});

/** Makes an error say what became of a message that is kept: unless it was dropped, it will be sent. */
const about = (message: object) => (error: { readonly dropped?: object }) => {
  throw Object.assign(error, { outcome: error.dropped === message ? 'none' : 'unknown' });
};

const refused = (response: Response, dropped?: object): DeliveryError =>
  new DeliveryError('not-retryable', 'unknown', undefined, { attempts: 1, response, dropped });
