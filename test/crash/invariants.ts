import type { ClientHistory } from './client.ts';
import { type Harm, violation } from './harm.ts';
import type { World } from './world.ts';

/** Each check answers what is wrong, in words; nothing when all is well. */
type Violations = readonly string[];

const when = (wrong: boolean, harm: Harm, text: string): Violations => (wrong ? [violation(harm, text)] : []);

/** Too often is one harm, too seldom another. */
export const times = (count: number, wanted: number, what: string): Violations =>
  when(count !== wanted, count > wanted ? 'double' : 'lost', `${count} ${what}, not ${wanted}`);

const entries = (world: World, kind: string) => world.dynamodb.items('data').filter((item) => item.kind === kind);

/** Every client went away with a final answer, of one of these statuses: no key is stuck. */
export function allDone(seen: readonly ClientHistory[], clients: number, statuses: readonly number[]): Violations {
  const lasts = seen.map(({ last }) => last?.statusCode);
  return [
    ...when(seen.length !== clients, 'stuck', `${clients - seen.length} clients never came back`),
    ...lasts.flatMap((status) =>
      when(!statuses.includes(status ?? 0), status === undefined ? 'stuck' : 'answer', `a client ended with ${status}`),
    ),
  ];
}

/** The effect happened this often. */
export const singleEffect = (world: World, kind: string, wanted: number): Violations =>
  times(entries(world, kind).length, wanted, `entries of kind ${kind}`);

/** Of clients that sent different things under one key, one got its effect and the others were told so (R7). */
export const oneAccepted = (seen: readonly ClientHistory[]): Violations => {
  const accepted = seen.filter(({ last }) => last?.statusCode === 201).length;
  return when(accepted !== 1, 'answer', `${accepted} clients were accepted under one key`);
};

/** Every final answer has the same status and bytes. */
export function answeredAlike(seen: readonly ClientHistory[]): Violations {
  const finals = seen.flatMap(({ last }) => (last ? [`${last.statusCode} ${last.body}`] : []));
  const successes = seen.flatMap(({ answers }) =>
    answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body),
  );
  return [
    ...when(
      new Set(finals).size > 1,
      'answer',
      `clients went away with different answers: ${[...new Set(finals)].join(' | ')}`,
    ),
    ...when(new Set(successes).size > 1, 'answer', 'two different 201 were answered'),
  ];
}

/** Who was refused has no entry. */
export function refusedWithoutEffect(world: World, seen: readonly ClientHistory[]): Violations {
  const acknowledged = seen.filter(({ last }) => last?.statusCode === 201).length;
  return times(entries(world, 'transfer').length, acknowledged, 'transfers with an acknowledgement');
}

/** At the provider and in the ledger, once. */
export function oneMovement(world: World, kind: 'charge' | 'refund'): Violations {
  const made = [...world.provider.receipts.values()].filter((receipt) => receipt.kind === kind).length;
  return [...times(made, 1, `of kind ${kind} at the provider`), ...singleEffect(world, kind, 1)];
}

/** What the provider has is what the ledger says, and nothing is left held. */
export function moneyBooked(world: World): Violations {
  const alice = world.dynamodb.items('data').find(({ pk }) => pk === 'account#acct_alice');
  const kinds = (['charge', 'refund'] as const).map((kind) => {
    const receipts = [...world.provider.receipts.values()].filter((receipt) => receipt.kind === kind);
    const made = receipts.reduce((sum, { amount }) => sum + amount, 0);
    return { kind, made, booked: entries(world, kind).reduce((sum, { amount }) => sum + Number(amount), 0) };
  });
  return [
    ...kinds.flatMap(({ kind, made, booked }) =>
      when(made !== booked, 'money', `${kind}: ${made} made, ${booked} booked`),
    ),
    ...when(
      alice?.balance !== alice?.available,
      'stuck',
      `alice has ${alice?.balance}, of which ${alice?.available} available`,
    ),
    ...when(Number(alice?.balance) + Number(alice?.room) !== Number.MAX_SAFE_INTEGER, 'stuck', 'room is still held'),
  ];
}

/** A request that nobody competes with is never told that it is in flight. */
export const neverInFlight = (seen: readonly ClientHistory[]): Violations =>
  when(
    seen.some(({ answers }) => answers.some(({ statusCode }) => statusCode === 409)),
    'answer',
    '409 to a sole request',
  );
