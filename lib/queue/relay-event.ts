import type { Engine } from '../engine/engine.ts';
import { persist } from '../engine/persist.ts';
import { type OutboxItem, outboxEventId } from '../protocol/outbox.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { deleteOutboxItem } from '../store/outbox-items.ts';
import type { SendMessage } from './send-message.ts';

/**
 * Sends one event out of the outbox, then deletes it. Whoever dies between the two, or races another relay, sends it
 * twice under one event id; its consumers see to the rest.
 *
 * @rule R32
 * @throws SemelError when the queue or the store does not answer: the event is still in the outbox, or was sent
 */
export async function relayEvent(
  engine: Engine,
  send: SendMessage,
  { pk, body, source, correlationId }: OutboxItem,
  deadline: Milliseconds,
): Promise<void> {
  await send({ body, source, eventId: outboxEventId(pk), ...(correlationId !== undefined && { correlationId }) });
  await persist(engine.surroundings, deadline, (signal) => deleteOutboxItem(engine.store, pk, signal));
}
