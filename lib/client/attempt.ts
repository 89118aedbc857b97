import type { Outcome } from './delivery-error.ts';
import { type Judgement, judgeAnswer } from './judge-answer.ts';
import { within } from './time.ts';

/**
 * How an attempt ended: with which answer; how it is judged; what is known of its effect, unless it is settled; and what
 * was thrown instead of an answer, or instead of its body.
 */
export type Attempted = readonly [answer: Response | undefined, judgement: Judgement, effect: Outcome, fault: unknown];

/**
 * Makes one attempt and judges how it ended; it never rejects.
 *
 * What will be looked at is read whole, so that a body lost on the way is noticed and fetched again, and so that the
 * connection of an answer that nobody reads is free for the next attempt. Only an unkeyed answer may be a long stream.
 *
 * @param whole is the answer to be read to its end, whatever it is?
 * @param timeout in milliseconds
 */
export async function makeAttempt(
  send: (signal: AbortSignal) => Promise<Response>,
  whole: boolean,
  repeatable: boolean,
  signal: AbortSignal,
  timeout: number,
): Promise<Attempted> {
  let answer = undefined as Response | undefined;
  let judgement = 'again' as Judgement;
  let effect = 'unknown' as Outcome;
  let fault: unknown;
  try {
    await within(timeout, signal, async (both) => {
      answer = await send(both);
      // What must not be sent again is taken as it is.
      judgement = repeatable ? judgeAnswer(answer) : 'settled';
      // Who asks, too early, or too often: the server has not looked at the key (R4), nor at what an earlier attempt did.
      if ([401, 403, 425, 429].includes(answer.status)) effect = 'none';
      if (whole || judgement === 'again') {
        const body = await answer.clone().text();
        // The server knows best whether the same request can end differently.
        if (judgement === 'again' && /"retryable":\s*false/.test(body)) judgement = 'stop';
      }
    });
  } catch (thrown) {
    fault = thrown;
    if (judgement === 'settled' && effect !== 'none') effect = 'known';
    judgement = 'again';
  }
  return [answer, judgement, effect, fault];
}
