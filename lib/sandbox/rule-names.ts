/** What the rules are called that the page refers to. */
export const RULE_NAMES = {
  R7: 'The fingerprint is compared first: another payload is 422',
  R15: 'What is not stored, and the look at the record before saying it',
  R16: 'What is final and stored',
  R17: 'A replay has the first status, headers and bytes',
  R18: 'What a duplicate of a running request gets',
  R21: 'The store being down is 503, and nothing is done',
  R22: 'What a cancelled transaction means, and what is tried again',
  R25: 'A message and its effects are one transaction',
  R26: 'What makes two messages the same',
  R29: 'Numbered messages are applied in order',
  R39: 'One key per intent, kept over restarts',
  R41: 'The sender keeps the order',
} as const;

export type Rule = keyof typeof RULE_NAMES;
