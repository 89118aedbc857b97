import { availableParallelism, cpus, totalmem } from 'node:os';
import {
  cpuTable,
  crashTable,
  effectsTable,
  goalsTable,
  latencyTable,
  messageTable,
  requestsTable,
  stormTable,
  weightTable,
} from './evidence-tables.ts';
import type { Results } from './results.ts';
import { MEDIANS } from './service-times.ts';

const INTRODUCTION = `# Evidence

Written by \`npm run bench\`, which measures three functions that do the same job, in one run: **naive** has no
idempotency; **powertools** is \`@aws-lambda-powertools/idempotency\` 2.35.0, set up as its documentation recommends;
**semel** is the wallet's own [functions/transfers.ts](../functions/transfers.ts). The job is the wallet's: look up the
API key, check the body, and move money in one transaction (two balances and an entry). How to run everything that is
behind these pages: [proving.md](proving.md).

*Here* means measured on this machine, on DynamoDB Local, which works on one transaction at a time: read such numbers
beside each other, not as what AWS takes. *Modelled* means computed, with the service times named below; CPU and network
come on top.`;

const machine = (ranAt: Date): string => {
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `Run on ${ranAt.toISOString().slice(0, 10)}: ${availableParallelism()} cores (${model}), ${memory} GB, Node ${process.versions.node}.`;
};

const REQUESTS = `Counted by a proxy in front of DynamoDB Local; the look-up of the API key, the same one request for everybody, is left
out. Units are computed from item sizes as AWS bills them, indexes aside (the entry's two cost everybody two units more).
A write that its condition refused is counted as if it had gone through, which is the most that it can cost: so the
replay without a hint is Semel's dearest request, and the reason why its client sends the hint with every retry.`;

const LATENCY = `Modelled service times are log-normal around these medians, with a p99 of three times the median, drawn from a fixed
seed: ${Object.entries(MEDIANS)
  .map(([call, median]) => `${call} ${median} ms`)
  .join(', ')}. The code that runs is the real one; time is virtual. A replay without the hint is a
transaction that is cancelled, and takes as long as one; the peer's is a single write.`;

const FAULTS = `Every schedule within a budget of faults, by the explorer of \`npm run prove\`, with a client that sends the same request
again until it is answered. A fault strikes one call to DynamoDB: its answer is lost and the SDK sends it again, its
answer never comes, it never arrives, the function dies before or after it, it is throttled or in conflict, or the
function sleeps past every deadline and wakes up later. Fewer calls are fewer schedules: that is part of the result.
Shares are of schedules, not of requests: faults are rare. A key is *blocked* while a sole client is told 409 though
nobody works for it; a 409 is *false* when the first request of a sole client gets it.`;

const MESSAGES = `Ten numbered messages of one sender in one invocation, each adding to the sender's total. The peer makes each record's
handler idempotent, as it does with a batch; it sees duplicates, but neither gaps nor order.`;

const GROWTH = 'So many new items in one operation; 99 and the record are what one transaction takes.';

const STORMS = `The same request from so many clients at the same moment, over the model, in which transactions that meet on an item
conflict as they do in AWS. Who is told to come back does so after a second, which is the shortest \`Retry-After\`.`;

const WEIGHT = `Bundled by esbuild with the stack's own settings: minified, with the SDK inside. Each has both routes of the function, a
log and a metric, but for the one that says so. Imported in fresh processes; CPU is that of the whole handler.
Without the SDK, the clients answer before they spell anything as DynamoDB wants it, which the peer does by itself and
Semel leaves to the SDK.`;

/** docs/evidence.md as a whole. */
export const evidencePage = (results: Results, ranAt: Date): string =>
  `${[
    ...[INTRODUCTION, machine(ranAt), '## Goals', goalsTable(results)],
    ...['## Requests and what they cost', REQUESTS, requestsTable(results)],
    '![Requests to DynamoDB](evidence/requests.svg)',
    ...['## Latency', LATENCY, latencyTable(results), '![Modelled latency](evidence/latency.svg)'],
    ...['## Faults', FAULTS, crashTable(results), '![Duplicates over schedules of faults](evidence/crashes.svg)'],
    ...['## Messages in order', MESSAGES, messageTable(results)],
    ...['## How it grows', GROWTH, effectsTable(results), '![Many effects](evidence/effects.svg)'],
    ...[STORMS, stormTable(results), '![Many duplicates](evidence/duplicates.svg)'],
    ...['## Weight', WEIGHT, weightTable(results), cpuTable(results)],
  ].join('\n\n')}\n`;
