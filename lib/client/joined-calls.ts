import { DeliveryError } from './delivery-error.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import type { OnProgress } from './progress.ts';

interface Call {
  readonly answer: Promise<Response>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Lets those who send the same request at the same time wait for one call, which is aborted once all of them have left.
 *
 * @rule R39
 */
export function joinedCalls(report: OnProgress) {
  const calls = new Map<string, Call>();
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
    const { identity } = outgoing;
    const running = calls.get(identity);
    if (running) report({ kind: 'joined', key: outgoing.key });
    const stop = new AbortController();
    const call = running ?? {
      // Started aside, so that nothing is sent for one who has left before.
      answer: Promise.resolve(stop.signal)
        .then(start)
        .finally(() => calls.delete(identity)),
      stop,
      waiting: 0,
    };
    calls.set(identity, call);
    call.waiting += 1;
    const mine = await new Promise<Response>((resolve, reject) => {
      const leave = (): void => {
        call.waiting -= 1;
        // The call itself knows how far it got, so the last one hears it from there.
        if (!call.waiting) call.stop.abort(outgoing.signal.reason);
        else reject(new DeliveryError({ problem: 'aborted', outcome: 'unknown' }, outgoing.signal.reason));
      };
      call.answer.then(resolve, reject);
      if (outgoing.signal.aborted) leave();
      else outgoing.signal.addEventListener('abort', leave);
    });
    // Everybody gets a body of their own to read.
    return mine.clone();
  };
}
