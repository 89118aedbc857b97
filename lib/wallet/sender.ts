import * as z from 'zod';
import type { InboxView } from '../protocol/inbox.ts';
import type { OutgoingMessage } from '../protocol/message.ts';
import { type Refusal, type ReplyDraft, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';

/** What a sender's name may be: it becomes a part of a key. */
const SENDER = /^[A-Za-z0-9._~:-]{1,64}$/;
const SEQ = 'must be an integer from 1 to 9007199254740991: senders number their messages from 1';
const DELTA = 'must be an integer from -9007199254740991 to 9007199254740991';

export const SendNumbered = z.object({
  seq: z.int({ error: SEQ }).min(1, { error: SEQ }),
  delta: z.int({ error: DELTA }),
});

/** A numbered message on its way. */
export const NumberedMessage = SendNumbered.extend({ sender: z.string().regex(SENDER) });

/** The name of the consumer that keeps the senders' totals. */
export const SENDERS = 'senders';

const NAMED_BY = 'A sender is named by 1 to 64 letters, digits and . _ ~ : - in the path.';

/** Hands a numbered message to the queue: in order within its sender, whatever the others do. */
export function acceptNumbered({
  body: { seq, delta },
  caller,
  params: { sender = '' },
}: {
  readonly body: z.infer<typeof SendNumbered>;
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
}): OutgoingMessage | Refusal {
  if (!SENDER.test(sender)) {
    return refuse('invalid-body', NAMED_BY);
  }
  const message: z.infer<typeof NumberedMessage> = { sender, seq, delta };
  return { body: message, source: caller, group: `${caller}/${sender}` };
}

/** What the consumer does with them: each sender has a total. */
export const TOTALS = { deltas: ({ delta }: z.infer<typeof NumberedMessage>) => ({ total: delta }) };

/** Which sender is asked about. @throws SemelError `invalid-query` for a name that no sender can have */
export function senderIn({ sender = '' }: Readonly<Record<string, string>>): string {
  if (SENDER.test(sender)) return sender;
  throw new SemelError('invalid-query', NAMED_BY);
}

/** Shows a sender how far it was heard, and what is missing. One that was never heard of is at the beginning. */
export const showSender = ({ appliedUpTo, expected, gaps, sums }: InboxView): ReplyDraft => ({
  status: 200,
  body: { appliedUpTo, total: sums.total ?? 0, expected, gaps },
});
