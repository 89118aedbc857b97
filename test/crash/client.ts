import type { HttpResponse } from '../../lib/http/respond.ts';
import { NoAnswer, type World } from './world.ts';

/** What a client has seen of one intent, in order. */
export interface ClientHistory {
  readonly answers: HttpResponse[];
  /** The answer it went away with; undefined: it gave up. */
  last: HttpResponse | undefined;
}

/** More often than any chain of faults and leases here needs. */
const MOST_ATTEMPTS = 14;
const PAUSE = 5_000;

/**
 * A client as a good one behaves: the same request under the same key until an answer is final. Between attempts it
 * waits for its turn like any call, so that a schedule decides what happens meanwhile.
 */
export async function insist(world: World, send: () => Promise<HttpResponse>): Promise<ClientHistory> {
  const history: ClientHistory = { answers: [], last: undefined };
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const answer = await send().catch((error: unknown) => {
      if (error instanceof NoAnswer) return undefined;
      throw error;
    });
    if (answer !== undefined) history.answers.push(answer);
    if (answer !== undefined && isFinal(answer)) {
      history.last = answer;
      return history;
    }
    await world.scheduler.turn(world.nextProcess(), 'client waits', ['ok']);
    world.pass(PAUSE);
  }
  return history;
}

const isFinal = ({ statusCode, headers }: HttpResponse): boolean =>
  statusCode < 500 && !(statusCode === 409 && headers['retry-after'] !== undefined);
