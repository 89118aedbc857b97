import { CHARGE_SCENARIOS } from './charge-scenarios.ts';
import type { Scenario } from './explorer.ts';
import { MESSAGE_SCENARIOS } from './message-scenarios.ts';
import { TRANSFER_SCENARIOS } from './transfer-scenarios.ts';

/** Every story that is explored. */
export const SCENARIOS: readonly Scenario[] = [...TRANSFER_SCENARIOS, ...CHARGE_SCENARIOS, ...MESSAGE_SCENARIOS];
