import { fullJitter } from '../protocol/backoff.ts';
import type { Inbox } from '../protocol/inbox.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import { foldSequence, inboxKey, type SequenceEnding } from '../protocol/sequence.ts';
import { refuseState } from '../protocol/state-limits.ts';
import { type Advance, advanceMark, parkNumbers, type SumChange } from '../store/advance-mark.ts';
import { readInbox } from '../store/inbox-item.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';
import { applyEffects } from './sequence-effects.ts';
import type { PlanNumbered, RunEnding, SequenceRun } from './sequence-run.ts';

/** What one look at the inbox makes of a run. */
interface RunPlan extends RunEnding {
  readonly last: number;
  readonly advance: Pick<Advance, 'sums' | 'state'>;
}

/** Each round follows a write of the same inbox by somebody else. */
const MOST_ROUNDS = 16;

/**
 * Applies a run of one sender's messages in order, each number once. Optimistically the run starts right after the mark:
 * then it is one conditional write whatever its length, and only what proves wrong is looked at.
 *
 * @rule R29
 * @throws SemelError `store-unavailable` or `too-many-conflicts`: deliver them again
 */
export async function applySequence<Body>(engine: Engine, run: SequenceRun<Body>): Promise<RunEnding> {
  const { random, sleep } = engine.surroundings;
  let inbox: SeenInbox | undefined;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    if (round > 2) await sleep(fullJitter(round, random()));
    const tried: Tried =
      'plan' in run.effect ? await tryEffects(engine, run, run.effect.plan) : await tryRun(engine, run, inbox);
    if (tried.met === undefined) {
      countEndings(engine, run.consumer, tried.plan.endings);
      return tried.plan;
    }
    inbox = tried.met.inbox ?? EMPTY;
  }
  throw new SemelError('too-many-conflicts', 'Other invocations kept moving the mark of this sender.');
}

/** One round: what came of the run, unless the mark had moved. */
interface Tried {
  readonly plan: RunEnding;
  readonly met: Met | undefined;
}

async function tryRun<Body>(engine: Engine, run: SequenceRun<Body>, known: SeenInbox | undefined): Promise<Tried> {
  const inbox = known ?? assumedInbox(run) ?? (await lookAtInbox(engine, run));
  const plan = planRun(run, inbox);
  const met = (await writeAdvance(engine, run, inbox, plan)) ?? (await writeParked(engine, run, inbox, plan));
  return { plan, met };
}

/** Effects of their own are committed message by message; what is left of the run to be written are its gaps. */
async function tryEffects<Body>(engine: Engine, run: SequenceRun<Body>, plan: PlanNumbered<Body>): Promise<Tried> {
  const ended = await applyEffects(engine, run, plan);
  return { plan: ended, met: await writeParked(engine, run, { last: ended.last, sums: {} }, ended) };
}

type SeenInbox = Pick<Inbox, 'last' | 'parked' | 'state'> & {
  /** Undefined where nothing is known but the assumed mark. */
  readonly sums: Inbox['sums'];
};

const EMPTY: SeenInbox = { last: 0, sums: {} };

/**
 * Sums need no read, unless the run alone might pass what a number holds exactly; states always do.
 */
function assumedInbox<Body>({ effect, messages }: SequenceRun<Body>): SeenInbox | undefined {
  const [first] = messages;
  if (!('deltas' in effect) || first === undefined) return undefined;
  const sizes = messages.flatMap((_, index) => Object.values(effect.deltas(bodyAt(messages, index))).map(Math.abs));
  const harmless = Number.isSafeInteger(sizes.reduce((sum, size) => sum + size, 0));
  return harmless ? { last: first.seq - 1, sums: undefined } : undefined;
}

async function lookAtInbox<Body>(engine: Engine, run: SequenceRun<Body>): Promise<SeenInbox> {
  const { inbox } = await persist(engine.surroundings, run.deadline, (signal) =>
    readInbox(engine.store, inboxKey(run), signal),
  );
  return inbox === undefined ? EMPTY : { ...inbox, sums: inbox.sums ?? {} };
}

function planRun<Body>(run: SequenceRun<Body>, inbox: SeenInbox): RunPlan {
  const { effect } = run;
  if ('deltas' in effect) return planDeltas(run, effect.deltas, inbox);
  if ('fold' in effect) return planFold(run, effect.fold, inbox);
  throw new Error('Effects of their own are not planned as a run.');
}

function planDeltas<Body>(
  { messages }: SequenceRun<Body>,
  deltas: (body: Body) => Readonly<Record<string, number>>,
  inbox: SeenInbox,
): RunPlan {
  const changes = new Map<string, SumChange>();
  let refusal: Refusal | undefined;
  const { last, endings } = foldSequence(inbox.last, messages.map(seqOf), (index) => {
    const added = Object.entries(deltas(bodyAt(messages, index)));
    const next = added.map(([name, add]) => addTo(changes.get(name) ?? noChange(name), add));
    const fits = next.every(({ name, add }) => Number.isSafeInteger((inbox.sums?.[name] ?? 0) + add));
    if (fits) for (const change of next) changes.set(change.name, change);
    else refusal = refuse('balance-limit', 'A sum would pass what a number can hold exactly.');
    return fits;
  });
  return { last, endings, refusal, advance: { sums: [...changes.values()] } };
}

const LIMIT = Number.MAX_SAFE_INTEGER;
const noChange = (name: string): SumChange => ({ name, add: 0, least: -LIMIT, most: LIMIT });

/** One more delta: the sum must have been where every step on the way stays within the limits. */
const addTo = ({ name, add, least, most }: SumChange, delta: number): SumChange => ({
  name,
  add: add + delta,
  least: Math.max(least, -LIMIT - (add + delta)),
  most: Math.min(most, LIMIT - (add + delta)),
});

function planFold<Body>(
  { messages }: SequenceRun<Body>,
  fold: (state: unknown, body: Body) => unknown | Refusal,
  inbox: SeenInbox,
): RunPlan {
  let { state } = inbox;
  let refusal: Refusal | undefined;
  const { last, endings } = foldSequence(inbox.last, messages.map(seqOf), (index) => {
    const next = fold(structuredClone(state), bodyAt(messages, index));
    const no = isRefusal(next) ? next : refuseState(next);
    if (no === undefined) state = next;
    else refusal = no;
    return no === undefined;
  });
  return { last, endings, refusal, advance: { sums: [], state } };
}

const seqOf = ({ seq }: { readonly seq: number }): number => seq;

/** A copy: another round must not plan on what the last one made of it. */
const bodyAt = <Body>(messages: SequenceRun<Body>['messages'], index: number): Body =>
  structuredClone((messages[index] as { readonly body: Body }).body);

type Met = { readonly inbox: SeenInbox | undefined };

/** Writes what the plan applies; the inbox that was met instead, or undefined when all is well. */
async function writeAdvance<Body>(
  engine: Engine,
  run: SequenceRun<Body>,
  { last: from }: SeenInbox,
  { last: to, endings, advance }: RunPlan,
): Promise<Met | undefined> {
  const applied = run.messages.map(seqOf).filter((_, index) => endings[index] === 'applied');
  if (applied.length === 0) return undefined;
  const write = { ...advance, key: inboxKey(run), ownerToken: engine.surroundings.token(), from, to, applied };
  const outcome = await persist(engine.surroundings, run.deadline, (signal) =>
    advanceMark(engine.store, write, signal),
  );
  return outcome.kind === 'met' ? metInbox(outcome.inbox) : undefined;
}

/** Notes the gaps of a plan, where they are not noted yet. */
async function writeParked<Body>(
  engine: Engine,
  run: SequenceRun<Body>,
  { parked = new Set() }: SeenInbox,
  { last, endings }: Pick<RunPlan, 'last' | 'endings'>,
): Promise<Met | undefined> {
  const early = run.messages.map(seqOf).filter((seq, index) => endings[index] === 'gap' && seq > last);
  const numbers = [...new Set(early)].filter((seq) => !parked.has(seq));
  if (numbers.length === 0) return undefined;
  const outcome = await persist(engine.surroundings, run.deadline, (signal) =>
    parkNumbers(engine.store, { key: inboxKey(run), last, numbers }, signal),
  );
  // Full, or moved on. Full is no harm; where the mark moved, the run is looked at again.
  if (outcome.kind !== 'met' || (outcome.inbox?.last ?? 0) === last) return undefined;
  return metInbox(outcome.inbox);
}

const metInbox = (inbox: Inbox | undefined): Met => ({ inbox: inbox && { ...inbox, sums: inbox.sums ?? {} } });

function countEndings({ count }: Engine, consumer: string, endings: readonly SequenceEnding[]): void {
  const counters = { applied: 'new', duplicate: 'duplicate-message', gap: 'gap', refused: undefined } as const;
  for (const ending of endings) {
    const counter = counters[ending];
    if (counter !== undefined) count(counter, consumer);
  }
}
