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
export function joinedCalls() {
  const calls = new Map<string, Call>();
  /**
   * Starts a call, or joins the one that runs for this request.
   *
   * @throws DeliveryError as the call does; `aborted` for one who leaves while others wait
   */
  return async (
    { identity, key, signal }: OutgoingRequest,
    start: (signal: AbortSignal) => Promise<Response>,
    report: OnProgress,
  ): Promise<Response> => {
    let call = calls.get(identity);
    if (call) report({ kind: 'joined', key });
    else {
      const stop = new AbortController();
      call = { answer: start(stop.signal).finally(() => calls.delete(identity)), stop, waiting: 0 };
      calls.set(identity, call);
    }
    // Everybody gets a body of their own to read.
    return (await waitFor(call, signal)).clone();
  };
}

function waitFor(call: Call, signal: AbortSignal): Promise<Response> {
  call.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      call.waiting -= 1;
      // The call itself knows how far it got, so the last one hears it from there.
      if (!call.waiting) call.stop.abort(signal.reason);
      else reject(new DeliveryError({ problem: 'aborted', outcome: 'unknown', attempts: 0 }, signal.reason));
    };
    call.answer.then(resolve, reject);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}
