import type { ClientHistory } from './client.ts';
import type { World } from './world.ts';

/** Each check answers what is wrong, in words; nothing when all is well. */
type Violations = readonly string[];

const when = (wrong: boolean, violation: string): Violations => (wrong ? [violation] : []);

const entries = (world: World, kind: string) => world.dynamodb.items('data').filter((item) => item.kind === kind);

/** Every client went away with a final answer, of one of these statuses: no key is stuck. */
export function allDone(seen: readonly ClientHistory[], clients: number, statuses: readonly number[]): Violations {
  const lasts = seen.map(({ last }) => last?.statusCode);
  return [
    ...when(seen.length !== clients, `${clients - seen.length} clients never came back`),
    ...lasts.flatMap((status) => when(!statuses.includes(status ?? 0), `a client ended with ${status}`)),
  ];
}

/** The effect happened this often. */
export const singleEffect = (world: World, kind: string, times: number): Violations =>
  when(entries(world, kind).length !== times, `${entries(world, kind).length} entries of kind ${kind}, not ${times}`);

/** Of clients that sent different things under one key, one got its effect and the others were told so (R7). */
export const oneAccepted = (seen: readonly ClientHistory[]): Violations => {
  const accepted = seen.filter(({ last }) => last?.statusCode === 201).length;
  return when(accepted !== 1, `${accepted} clients were accepted under one key`);
};

/** Every final answer has the same status and bytes. */
export function answeredAlike(seen: readonly ClientHistory[]): Violations {
  const finals = seen.flatMap(({ last }) => (last ? [`${last.statusCode} ${last.body}`] : []));
  const successes = seen.flatMap(({ answers }) =>
    answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body),
  );
  return [
    ...when(new Set(finals).size > 1, `clients went away with different answers: ${[...new Set(finals)].join(' | ')}`),
    ...when(new Set(successes).size > 1, 'two different 201 were answered'),
  ];
}

/** Who was refused has no entry. */
export function refusedWithoutEffect(world: World, seen: readonly ClientHistory[]): Violations {
  const acknowledged = seen.filter(({ last }) => last?.statusCode === 201).length;
  return when(entries(world, 'transfer').length !== acknowledged, 'entries and acknowledgements differ');
}

/** At the provider and in the ledger, once. */
export function oneMovement(world: World, kind: 'charge' | 'refund'): Violations {
  const made = [...world.provider.receipts.values()].filter((receipt) => receipt.kind === kind).length;
  return [...when(made !== 1, `${made} of kind ${kind} at the provider`), ...singleEffect(world, kind, 1)];
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
    ...kinds.flatMap(({ kind, made, booked }) => when(made !== booked, `${kind}: ${made} made, ${booked} booked`)),
    ...when(alice?.balance !== alice?.available, `alice has ${alice?.balance}, of which ${alice?.available} available`),
    ...when(Number(alice?.balance) + Number(alice?.room) !== Number.MAX_SAFE_INTEGER, 'room is still held'),
  ];
}

/** A request that nobody competes with is never told that it is in flight. */
export const neverInFlight = (seen: readonly ClientHistory[]): Violations =>
  when(
    seen.some(({ answers }) => answers.some(({ statusCode }) => statusCode === 409)),
    '409 to a sole request',
  );
