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
export const oneBooking = (world: World): Violations => [
  ...when(world.provider.receipts.size !== 1, `${world.provider.receipts.size} charges at the provider`),
  ...singleEffect(world, 'charge', 1),
];

/** What the provider has is what the ledger says, and nothing is left held. */
export function moneyBooked(world: World): Violations {
  const charged = [...world.provider.receipts.values()].reduce((sum, { amount }) => sum + amount, 0);
  const booked = entries(world, 'charge').reduce((sum, { amount }) => sum + Number(amount), 0);
  const alice = world.dynamodb.items('data').find(({ pk }) => pk === 'account#acct_alice');
  return [
    ...when(charged !== booked, `${charged} charged, ${booked} booked`),
    ...when(Number(alice?.balance) !== 100_000 + booked, `alice holds ${alice?.balance} after ${booked} booked`),
    ...when(alice?.balance !== alice?.available, 'something is still held'),
  ];
}
