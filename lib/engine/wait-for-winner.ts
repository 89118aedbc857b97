import type { Decision } from '../protocol/decide.ts';
import { appliedWait, type Preference, waitBudget } from '../protocol/prefer.ts';
import { serializeReply } from '../protocol/reply.ts';
import { milliseconds } from '../protocol/time.ts';
import { readRecord } from '../store/read-record.ts';
import { type Answer, answerFromRecord } from './answer.ts';
import type { KeyedRun, Meet } from './keyed-run.ts';
import { persist } from './persist.ts';

type InFlight = Extract<Decision, { kind: 'in-flight' }>;

/** Between two looks, on average: a consistent read costs one unit, a reply half a second late costs more. */
const LOOK_EVERY = 200;

/**
 * Answers a duplicate whose first request is still running as its client prefers: wait for the reply, or 202 and look
 * later, or else 409.
 *
 * @rule R18
 * @returns what `meet` makes of the record once it is no longer in flight, marked with the preference that was applied
 */
export async function answerDuplicate<Step extends { readonly kind: string }>(
  run: KeyedRun,
  inFlight: InFlight,
  prefer: Preference,
  meet: Meet<Step | InFlight>,
): Promise<Answer | Step | InFlight | Awaited<ReturnType<Meet<Step>>>> {
  const { engine, attempt } = run;
  const { now, random, sleep } = engine.surroundings;
  const started = now();
  const end = started + waitBudget(prefer.wait, milliseconds(attempt.endsAt - started));
  let last = inFlight;
  while (now() < end) {
    await sleep(milliseconds(Math.min(end - now(), LOOK_EVERY * (0.5 + random()))));
    const { record } = await persist(engine.surroundings, attempt.deadline, (signal) =>
      readRecord(engine.store, attempt.pk, signal),
    );
    const step = await meet(record);
    if (step.kind !== 'in-flight') return marked(step, appliedWait(prefer.wait));
    last = step as InFlight;
  }
  if (prefer.respondAsync) return accepted(last);
  return answerFromRecord(engine, attempt, last, run.authorize);
}

const marked = <Step extends { readonly kind: string }>(step: Step, preferenceApplied: string): Step =>
  step.kind === 'reply' || step.kind === 'problem' ? { ...step, preferenceApplied } : step;

function accepted({ record }: InFlight): Answer {
  const { operationId } = record;
  const headers = { location: `/operations/${operationId}` };
  const reply = serializeReply({ status: 202, headers, body: { operation: operationId } });
  return { kind: 'reply', reply, replayed: false, operationId, preferenceApplied: 'respond-async' };
}
