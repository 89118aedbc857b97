import type { CrashTally } from './crash-matrix.ts';
import type { CpuCost } from './measured-cpu.ts';
import type { EffectsCost } from './measured-effects.ts';
import type { Footprint } from './measured-footprint.ts';
import type { MessageCost } from './measured-messages.ts';
import type { LocalLatency, RequestCost } from './measured-requests.ts';
import type { ModelledLatency, Storm } from './modelled-latency.ts';

/** Everything that one run of the benchmark found out. */
export interface Results {
  readonly requests: readonly RequestCost[];
  readonly localLatency: readonly LocalLatency[];
  readonly modelled: readonly ModelledLatency[];
  readonly storms: readonly Storm[];
  readonly effects: readonly EffectsCost[];
  readonly messages: readonly MessageCost[];
  readonly crashes: readonly CrashTally[];
  readonly footprint: readonly Footprint[];
  readonly cpu: readonly CpuCost[];
}
