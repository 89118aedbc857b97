/** One message of one sender. */
export interface Message {
  readonly sender: string;
  /** The sender's own count, from 1. */
  readonly seq: number;
  /** Unique among all messages, and the same however often it is sent. */
  readonly id: string;
}

/** As long as a UUID's last part, which makes the whole id as long as a UUID: what a set of ids takes is counted. */
const SEQ_DIGITS = 12;

/** @example newMessage('a', 7).id // '00000000-0000-7000-8000-a-000000000007' */
export const newMessage = (sender: string, seq: number): Message => ({
  sender,
  seq,
  id: `00000000-0000-7000-8000-${sender}-${String(seq).padStart(SEQ_DIGITS, '0')}`,
});
