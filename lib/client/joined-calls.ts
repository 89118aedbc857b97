import { DeliveryError } from './delivery-error.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';
import { onAbort } from './time.ts';

interface Call {
  readonly answer: Promise<Response>;
  readonly stop: AbortController;
  /** So many wait for it. */
  taps: number;
}

/**
 * Lets those who send the same request at the same time wait for one call, which is aborted once all of them have left.
 *
 * @rule R39
 */
export function joinedCalls(report: OnProgress) {
  const calls: Record<string, Call> = {};
  /**
   * Starts a call, or joins the one that runs for this request.
   *
   * @throws DeliveryError as the call does; `aborted` for one who leaves while others wait
   */
  return async (
    // Held as a whole: its request has to stay for its signal to be heard.
    outgoing: OutgoingRequest,
    start: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> => {
    const identity = outgoing.identity();
    let call = calls[identity] as Call;
    // One that everybody has left may still be ending.
    if (call?.taps) report({ kind: 'joined', key: outgoing.key });
    else {
      const stop = new AbortController();
      // Started aside, so that nothing is sent for one who has left before.
      const answer = Promise.resolve(stop.signal)
        .then(start)
        .finally(() => calls[identity] === call && delete calls[identity]);
      call = { answer, stop, taps: 0 };
      calls[identity] = call;
    }
    call.taps++;
    const mine = await new Promise<Response>((resolve, reject) => {
      call.answer.then(resolve, reject);
      onAbort(outgoing.signal, (reason) => {
        call.taps--;
        // The call itself knows how far it got, so the last one hears it from there.
        if (!call.taps) call.stop.abort(reason);
        else reject(new DeliveryError('aborted', 'unknown', reason));
      });
    });
    // Everybody gets a body of their own to read.
    return mine.clone();
  };
}
