import { goalsOf } from './goals.ts';
import { markdownTable } from './markdown.ts';
import type { Results } from './results.ts';

export const goalsTable = (results: Results): string =>
  markdownTable(
    ['what', 'goal', 'Semel', 'powertools', '', 'why not'],
    goalsOf(results).map(({ what, goal, semel, beside, met, why }) => [
      ...[what, goal, semel, beside],
      ...[met ? 'met' : '**missed**', why],
    ]),
  );

export const requestsTable = ({ requests }: Results): string =>
  markdownTable(
    ['subject', 'job', 'calls', 'requests', 'write units', 'read units'],
    requests.map((cost) => [
      ...[cost.subject, cost.job, cost.calls],
      ...[cost.requests, cost.writeUnits, cost.readUnits],
    ]),
  );

export const latencyTable = ({ modelled, localLatency }: Results): string =>
  markdownTable(
    ['subject', 'job', 'modelled p50, ms', 'modelled p99, ms', 'here p50, ms', 'here p99, ms'],
    modelled.map(({ subject, job, p50, p99 }) => {
      const here = localLatency.find((latency) => latency.subject === subject && latency.job === job);
      return [subject, job, p50, p99, here?.p50, here?.p99];
    }),
  );

export const crashTable = ({ crashes }: Results): string =>
  markdownTable(
    [
      'situation',
      'subject',
      'schedules',
      'duplicate effects',
      'different replies',
      'false 409',
      'blocked keys',
      'longest, s',
    ],
    crashes.map((tally) => [
      ...[tally.situation, tally.subject, tally.schedules, tally.duplicates, tally.differing],
      ...[tally.falseConflicts, tally.blocked, tally.longestBlocked],
    ]),
  );

export const messageTable = ({ messages }: Results): string =>
  markdownTable(
    ['subject', 'messages', 'requests', 'requests per message', 'write units', 'read units'],
    messages.map(({ subject, messages: count, requests, writeUnits, readUnits }) => [
      ...[subject, count, requests, requests / count, writeUnits, readUnits],
    ]),
  );

export const effectsTable = ({ effects }: Results): string =>
  markdownTable(
    ['effects', 'subject', 'requests', 'write units', 'here p50, ms'],
    effects.map(({ effects: count, subject, requests, writeUnits, p50 }) => [
      count,
      subject,
      requests,
      writeUnits,
      p50,
    ]),
  );

export const stormTable = ({ storms }: Results): string =>
  markdownTable(
    [
      'clients at once',
      'subject',
      'effects',
      'answered at the first try, %',
      'requests per client',
      'until the reply p50, ms',
      'p99, ms',
    ],
    storms.map(({ clients, subject, effects, answered, requests, p50, p99 }) => [
      ...[clients, subject, effects, 100 * answered, requests, p50, p99],
    ]),
  );

export const weightTable = ({ footprint }: Results): string =>
  markdownTable(
    ['function', 'bundle, bytes', 'import, ms'],
    footprint.map(({ subject, bytes, importTime }) => [subject, bytes, importTime]),
  );

export const cpuTable = ({ cpu }: Results): string =>
  markdownTable(
    ['subject', 'CPU of a new transfer without SDK, µs', 'with the SDK, without a network, µs'],
    cpu.map(({ subject, handler, withSdk }) => [subject, handler, withSdk]),
  );
