import type { Approach } from './consumer.ts';
import { LossyChannel, type Troubles } from './lossy-channel.ts';
import type { Message } from './message.ts';
import { type Account, MortalWorker } from './mortal-worker.ts';
import { seededRandom } from './seeded-random.ts';
import { Sender } from './sender.ts';

export interface SimulationSettings extends Troubles {
  /** The probability that the consumer dies while it works on a delivery. */
  readonly crash: number;
  readonly messages: number;
  readonly senders: number;
  readonly seed: number;
}

export interface SimulationResult extends Account {
  readonly name: string;
}

/** Rounds without an acknowledgement after which the senders are taken to be stuck. */
const PATIENCE = 100_000;

/**
 * Sends the messages over a bad way to a consumer of one kind, until all are acknowledged and nothing is under way.
 *
 * @param onProgress hears how many are acknowledged, one after the other
 */
export function runApproach(
  approach: Approach,
  settings: SimulationSettings,
  onProgress: (acknowledged: number) => void = () => {},
): SimulationResult {
  const random = seededRandom(settings.seed);
  const senders = sendersOf(settings);
  const channel = new LossyChannel<Message>(settings, random);
  const worker = new MortalWorker(approach.start(settings.messages), settings.crash, random);
  let acknowledged = 0;
  const isOver = (): boolean => channel.isEmpty() && [...senders.values()].every((sender) => sender.isDone());
  for (let idle = 0; idle < PATIENCE && !isOver(); idle += 1) {
    for (const sender of senders.values()) for (const message of sender.round()) channel.send(message);
    for (const message of channel.arrivals()) {
      const arrives = worker.take(message) && random() >= settings.drop;
      if (!arrives || !senders.get(message.sender)?.acknowledge(message)) continue;
      idle = 0;
      acknowledged += 1;
      onProgress(acknowledged);
    }
  }
  return { name: approach.name, ...worker.account(settings.messages) };
}

/** Each has as many messages as the others, give or take one. */
function sendersOf({ messages, senders }: SimulationSettings): ReadonlyMap<string, Sender> {
  const share = (index: number): number => Math.floor(messages / senders) + (index < messages % senders ? 1 : 0);
  return new Map(
    Array.from({ length: senders }, (_, index) => [`${index + 1}`, new Sender(`${index + 1}`, share(index))]),
  );
}
