import { type Message, newMessage } from './message.ts';

/** So many messages may be unacknowledged at once. */
const WINDOW = 16;

/** Sends its messages in order, and each of them again until it is acknowledged. */
export class Sender {
  readonly #unacknowledged: Map<number, Message>;

  constructor(name: string, messages: number) {
    this.#unacknowledged = new Map(
      Array.from({ length: messages }, (_, index) => [index + 1, newMessage(name, index + 1)]),
    );
  }

  /** What it sends in this round. */
  round(): readonly Message[] {
    const messages: Message[] = [];
    for (const message of this.#unacknowledged.values()) {
      if (messages.length === WINDOW) break;
      messages.push(message);
    }
    return messages;
  }

  /** @returns whether that is news */
  acknowledge({ seq }: Message): boolean {
    return this.#unacknowledged.delete(seq);
  }

  isDone(): boolean {
    return this.#unacknowledged.size === 0;
  }
}
