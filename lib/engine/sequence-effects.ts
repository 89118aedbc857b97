import { fullJitter } from '../protocol/backoff.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { decideSequence, inboxKey, type SequenceEnding } from '../protocol/sequence.ts';
import { uuidText } from '../protocol/uuid.ts';
import { type AdvanceWithEffects, advanceWithEffects } from '../store/advance-mark.ts';
import { readInbox } from '../store/inbox-item.ts';
import type { EventContext } from './apply-once.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';
import { persistentReader } from './persistent-reader.ts';
import type { NumberedMessage, PlanNumbered, RunEnding, SequenceRun } from './sequence-run.ts';

/** What is known of a sender's mark. */
interface Mark {
  readonly last: number;
  /** Was it read from the inbox, or only assumed to be right before the first message? */
  readonly seen: boolean;
}

/** What became of one message, and where the mark is after it. */
type Step = { readonly ending: SequenceEnding; readonly mark: Mark; readonly refusal?: Refusal };

/** Each round follows a write by somebody else. */
const MOST_ROUNDS = 16;

/**
 * Applies a run whose effects are items of their own: message by message, since a transaction takes one write per item
 * and two messages may well want the same; each advances the mark in the same transaction.
 *
 * @rule R29
 * @throws SemelError `store-unavailable` or `too-many-conflicts`: deliver them again
 */
export async function applyEffects<Body>(
  engine: Engine,
  run: SequenceRun<Body>,
  plan: PlanNumbered<Body>,
): Promise<RunEnding & { readonly last: number }> {
  const endings: SequenceEnding[] = [];
  let mark: Mark = { last: (run.messages[0]?.seq ?? 1) - 1, seen: false };
  let refusal: Refusal | undefined;
  for (const message of run.messages) {
    const step = await applyMessage(engine, run, plan, message, mark);
    endings.push(step.ending);
    mark = step.mark;
    refusal = step.refusal ?? refusal;
  }
  return { endings, refusal, last: mark.last };
}

async function applyMessage<Body>(
  engine: Engine,
  run: SequenceRun<Body>,
  plan: PlanNumbered<Body>,
  { seq, body, correlationId }: NumberedMessage<Body>,
  assumed: Mark,
): Promise<Step> {
  const { uuid, now, random, sleep, token } = engine.surroundings;
  const event = { id: `${run.sender}:${seq}`, uuid: uuidText(uuid()), source: run.source, correlationId, now: now() };
  const read = persistentReader(engine, run.deadline);
  const ownerToken = token();
  let mark = assumed;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (round > 2) await sleep(fullJitter(round, random()));
    const decision = decideSequence(mark.last, seq);
    // What is only assumed may be refused or held back for nothing, so it is believed once it was seen.
    if (decision !== 'apply' && mark.seen) return { ending: decision, mark };
    const context: EventContext = { event: { ...event, round }, read };
    const planned = decision === 'apply' ? await plan(structuredClone(body), context) : undefined;
    if (planned === undefined || (isRefusal(planned) && !mark.seen)) {
      mark = await lookAtMark(engine, run);
      continue;
    }
    if (isRefusal(planned)) return { ending: 'refused', mark, refusal: planned };
    const write = { key: inboxKey(run), ownerToken, from: mark.last, to: seq, applied: [seq], sums: [], ...planned };
    const outcome = await commit(engine, run, write);
    if ('ending' in outcome) return outcome;
    mark = outcome.mark ?? mark;
  }
  throw new SemelError('too-many-conflicts', 'Other writers kept changing what this message read.');
}

async function commit<Body>(
  engine: Engine,
  run: SequenceRun<Body>,
  write: AdvanceWithEffects,
): Promise<Step | { readonly mark: Mark | undefined }> {
  const outcome = await persist(engine.surroundings, run.deadline, (signal) =>
    advanceWithEffects(engine.store, write, signal),
  );
  switch (outcome.kind) {
    case 'written':
      return { ending: 'applied', mark: { last: write.to, seen: true } };
    case 'met':
      return { mark: { last: outcome.inbox?.last ?? 0, seen: true } };
    case 'effect-refused': {
      const no = write.effects[outcome.index]?.refuse?.(outcome.old);
      if (no === undefined) return { mark: undefined };
      const refusal = isRefusal(no) ? no : refuse('message-refused', `An effect refused with status ${no.status}.`);
      // The mark's own condition held, or the mark would have been met instead.
      return { ending: 'refused', mark: { last: write.from, seen: true }, refusal };
    }
  }
}

async function lookAtMark<Body>(engine: Engine, run: SequenceRun<Body>): Promise<Mark> {
  const { inbox } = await persist(engine.surroundings, run.deadline, (signal) =>
    readInbox(engine.store, inboxKey(run), signal),
  );
  return { last: inbox?.last ?? 0, seen: true };
}
