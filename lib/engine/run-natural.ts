import { fullJitter } from '../protocol/backoff.ts';
import { isPlan, isRefusal, type Plan, type Planned, type Refusal, type ReplyDraft } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { Milliseconds } from '../protocol/time.ts';
import { transactGuarded } from '../store/transact-guarded.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';

/** How an operation without a key ends. */
export interface NaturalAnswer {
  readonly reply: ReplyDraft;
  /** Nothing was written: the reply repeats what an earlier request brought about. */
  readonly repeated: boolean;
}

/** A plan that loses its own conditions this often in a row is not planning on what it read. */
const MOST_ROUNDS = 8;

/**
 * Runs an operation that needs no key, since its effects protect themselves: by a natural key, a version, a state, or
 * by being absolute. One TransactWriteItems commits them; there is no record, so nothing expires.
 *
 * @rule R34
 * @param deadline epoch milliseconds after which no further try starts
 * @throws SemelError for a refusal by its code, and `store-unavailable` or `too-many-conflicts`
 */
export async function runNatural(
  engine: Engine,
  deadline: Milliseconds,
  plan: (round: number) => Planned | Promise<Planned>,
): Promise<NaturalAnswer> {
  const { sleep, random, token } = engine.surroundings;
  const requestedBy = token();
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (round > 1) await sleep(fullJitter(round, random()));
    const planned = await plan(round);
    const answer =
      isRefusal(planned) || !isPlan(planned)
        ? answerWith(planned)
        : await commit(engine, deadline, planned, requestedBy);
    if (answer !== undefined) return answer;
  }
  throw new SemelError('too-many-conflicts', 'Other requests kept changing what this one read. Send it again.', {
    retryAfter: 1_000,
  });
}

/** One try; undefined when a condition said nothing final. */
async function commit(
  engine: Engine,
  deadline: Milliseconds,
  plan: Plan,
  requestedBy: string,
): Promise<NaturalAnswer | undefined> {
  if (plan.effects.length === 0) return answerWith(plan.reply);
  const outcome = await persist(engine.surroundings, deadline, (signal) =>
    transactGuarded(engine.store, { requestedBy }, plan.effects, signal),
  );
  if (outcome.kind === 'written') return { reply: plan.reply, repeated: false };
  // Only a guard can be met, and there is none.
  if (outcome.kind === 'met') throw new SemelError('internal-error', 'A transaction without a guard met one.');
  const no = plan.effects[outcome.index]?.refuse?.(outcome.old);
  return no === undefined ? undefined : answerWith(no);
}

function answerWith(answer: ReplyDraft | Refusal): NaturalAnswer {
  if (isRefusal(answer)) throw new SemelError(answer.problem, answer.detail);
  return { reply: answer, repeated: true };
}
