/** What is counted per operation (R38). */
export type Counter =
  | 'new'
  | 'replayed'
  | 'in-flight'
  | 'mismatch'
  | 'expired'
  | 'taken-over'
  | 'refused'
  | 'released'
  | 'unknown'
  | 'needs-attention'
  | 'duplicate-message'
  | 'gap'
  | 'dead-lettered'
  | `reconciled-${'settled' | 'cancelled' | 'unknown' | 'needs-attention' | 'taken-by-another'}`;
