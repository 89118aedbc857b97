import { numberText } from './charts.ts';
import { pick } from './markdown.ts';
import type { Results } from './results.ts';

/** What was to be reached, what was, and, where it was not, why. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly semel: string;
  readonly beside: string;
  readonly met: boolean;
  readonly why: string;
}

interface Judged extends Omit<Goal, 'met' | 'why' | 'semel' | 'beside'> {
  readonly ours: number;
  readonly theirs: number;
  readonly holds: (ours: number, theirs: number) => boolean;
  readonly whyNot?: string;
}

const judged = ({ what, goal, ours, theirs, holds, whyNot = '' }: Judged): Goal => {
  const met = holds(ours, theirs);
  return { what, goal, semel: numberText(ours), beside: numberText(theirs), met, why: met ? '' : whyNot };
};

/** Holds the results against what Semel set out to reach beside the peer. */
export const goalsOf = (results: Results): readonly Goal[] => [
  ...requestGoals(results),
  ...safetyGoals(results),
  ...effortGoals(results),
];

function requestGoals({ requests, messages, modelled }: Results): readonly Goal[] {
  const cost = (subject: string, job: 'new transfer' | 'replay' | 'hinted replay') => pick(requests, { subject, job });
  const perMessage = (subject: string) => pick(messages, { subject }).requests / pick(messages, { subject }).messages;
  const p50 = (subject: string, job: string) => pick(modelled, { subject, job }).p50;
  return [
    judged({
      ...{ what: 'DynamoDB requests, new transfer', goal: '1' },
      ...{ ours: cost('semel', 'new transfer').requests, theirs: cost('powertools', 'new transfer').requests },
      holds: (ours) => ours === 1,
    }),
    judged({
      ...{ what: 'DynamoDB requests, replay', goal: '1' },
      ...{ ours: cost('semel', 'replay').requests, theirs: cost('powertools', 'replay').requests },
      holds: (ours) => ours === 1,
    }),
    judged({
      ...{ what: 'write units, hinted replay', goal: '0 (one read)' },
      ...{ ours: cost('semel', 'hinted replay').writeUnits, theirs: cost('powertools', 'hinted replay').writeUnits },
      holds: (ours) => ours === 0,
    }),
    judged({
      ...{ what: 'write units, new transfer', goal: '≤ 8' },
      ...{ ours: cost('semel', 'new transfer').writeUnits, theirs: cost('powertools', 'new transfer').writeUnits },
      holds: (ours) => ours <= 8,
      whyNot: 'An item of the transfer has grown past 1 KB.',
    }),
    judged({
      ...{ what: 'requests per message in order, deltas', goal: '≤ 0.1' },
      ...{ ours: perMessage('semel, deltas'), theirs: perMessage('powertools') },
      holds: (ours) => ours <= 0.1,
    }),
    judged({
      ...{ what: 'requests per message in order, folds', goal: '≤ 0.2' },
      ...{ ours: perMessage('semel, folds'), theirs: perMessage('powertools') },
      holds: (ours) => ours <= 0.2,
    }),
    judged({
      ...{ what: 'modelled latency of a new transfer, p50, ms', goal: '≤ 0.60 × the peer' },
      ...{ ours: p50('semel', 'new transfer'), theirs: p50('powertools', 'new transfer') },
      holds: (ours, theirs) => ours <= 0.6 * theirs,
      whyNot: 'One transaction alone takes that long; the peer adds two single writes to the same transaction.',
    }),
  ];
}

function safetyGoals({ crashes }: Results): readonly Goal[] {
  const sum = (subject: string, count: 'duplicates' | 'falseConflicts' | 'blocked') =>
    crashes.filter((tally) => tally.subject === subject).reduce((total, tally) => total + tally[count], 0);
  const none = (what: string, count: 'duplicates' | 'falseConflicts' | 'blocked') =>
    judged({
      ...{ what, goal: '0' },
      ...{ ours: sum('semel', count), theirs: sum('powertools, function wrapper', count) },
      holds: (ours) => ours === 0,
    });
  return [
    none('schedules with a duplicate effect', 'duplicates'),
    none('schedules with a blocked key', 'blocked'),
    none('schedules with a false 409', 'falseConflicts'),
  ];
}

function effortGoals({ footprint, cpu }: Results): readonly Goal[] {
  const weight = (subject: string) => pick(footprint, { subject });
  const own = (subject: string, measure: 'handler' | 'withSdk') =>
    pick(cpu, { subject })[measure] - pick(cpu, { subject: 'naive' })[measure];
  return [
    judged({
      ...{ what: 'bundle, KB', goal: 'aim: ≤ 1.0 × the peer' },
      ...{ ours: weight('semel').bytes / 1_000, theirs: weight('powertools').bytes / 1_000 },
      holds: (ours, theirs) => ours <= theirs,
      whyNot:
        'The function carries the engine for leased operations too, since a route may be of any mode; the peer carries a JMESPath interpreter.',
    }),
    judged({
      ...{ what: 'import, ms', goal: 'aim: ≤ 1.0 × the peer' },
      ...{ ours: weight('semel').importTime, theirs: weight('powertools').importTime },
      holds: (ours, theirs) => ours <= theirs,
      whyNot: 'It grows with the bundle, most of which is the SDK in both.',
    }),
    judged({
      ...{ what: 'CPU over the naive handler, no SDK, µs', goal: 'aim: ≤ 0.5 × the peer' },
      ...{ ours: own('semel', 'handler'), theirs: own('powertools', 'handler') },
      holds: (ours, theirs) => ours <= 0.5 * theirs,
      whyNot:
        'It checks more: I-JSON, the canonical body, the limits and size of the plan, a request token over all of it. The peer hashes less and leaves two more requests to the SDK, which the next line has.',
    }),
    judged({
      ...{ what: 'CPU over the naive handler, SDK included, µs', goal: 'aim: ≤ 0.5 × the peer' },
      ...{ ours: own('semel', 'withSdk'), theirs: own('powertools', 'withSdk') },
      holds: (ours, theirs) => ours <= 0.5 * theirs,
      whyNot: 'The record makes the one transaction larger.',
    }),
  ];
}
