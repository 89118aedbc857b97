import { type Milliseconds, milliseconds } from '../protocol/time.ts';

/** How the provider treats a card. */
export interface Behaviour {
  /** What it does: charges the card, refuses it for good, or nothing at all. */
  readonly does: 'charge' | 'decline' | 'nothing';
  /** How it answers: with what it did, or with a 500 whatever it did. */
  readonly answers: 'truth' | 'fault';
  /** How long the work takes. */
  readonly works?: Milliseconds;
  /** How long after the work the answer comes; an answer about work done earlier comes at once. */
  readonly dawdles?: Milliseconds;
}

/** Below any client's timeout, and long enough to meet a second request. */
const SLOW = milliseconds(3_000);
/** Beyond the wallet's timeout of 8 s. */
const LATE = milliseconds(12_000);

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  tok_ok: { does: 'charge', answers: 'truth' },
  tok_declined: { does: 'decline', answers: 'truth' },
  tok_timeout: { does: 'charge', answers: 'truth', dawdles: LATE },
  tok_500: { does: 'charge', answers: 'fault' },
  tok_500_clean: { does: 'nothing', answers: 'fault' },
  tok_slow: { does: 'charge', answers: 'truth', works: SLOW },
};

/** The behaviour of a card token; a card that is not known is refused. @example behaviourOf('tok_declined').does // 'decline' */
export const behaviourOf = (source: string): Behaviour =>
  (Object.hasOwn(BEHAVIOURS, source) && BEHAVIOURS[source]) || { does: 'decline', answers: 'truth' };
