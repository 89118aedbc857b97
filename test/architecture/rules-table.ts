import { sourceFiles } from './source-tree.ts';

/** What each rule is about, in half a sentence. */
const RULES: Readonly<Record<string, string>> = {
  R1: '`Idempotency-Key`: quoted or bare, 1 to 255 characters, nothing else',
  R2: 'A key that is required and missing is 400',
  R3: 'Keys belong to a caller; hashed, never stored as they are',
  R4: 'Who asks, and whether they may, is checked on replays too',
  R5: 'The fingerprint: method, path, query and canonical body',
  R6: 'Bodies that two parsers could read differently are refused',
  R7: 'The fingerprint is compared first: another payload is 422',
  R8: 'A new key wins against nothing or an expired record only',
  R9: 'Whoever loses learns the record from the same call',
  R10: 'A resent write recognizes its own record',
  R11: 'A lapsed lease is taken over, with the same operation id',
  R12: 'Only the owner of a running record may change it',
  R13: 'How long a lease and a function may last',
  R14: 'When a record may be released',
  R15: 'What is not stored, and the look at the record before saying it',
  R16: 'What is final and stored',
  R17: 'A replay has the first status, headers and bytes',
  R18: 'What a duplicate of a running request gets',
  R19: 'Errors are problem+json',
  R20: 'Replies are serialized once, before the effect, up to 256 KB',
  R21: 'The store being down is 503, and nothing is done',
  R22: 'What a cancelled transaction means, and what is tried again',
  R23: 'How long keys are kept, and that it is published',
  R24: 'A client that says it is retrying is read for first',
  R25: 'A message and its effects are one transaction',
  R26: 'What makes two messages the same',
  R27: 'A batch reports exactly what failed',
  R28: 'Markers outlive every redelivery',
  R29: 'Numbered messages are applied in order',
  R30: 'A poison message is moved aside, with its reason',
  R31: 'Webhooks: verified on the raw bytes, then applied once',
  R32: 'Events leave through an outbox',
  R33: 'A job is a key; its pages are transactions',
  R34: 'Idempotent by a business key',
  R35: 'Idempotent by a version check',
  R36: 'Idempotent by a state machine',
  R37: 'Idempotent by construction',
  R38: 'What is counted and logged',
  R39: 'One key per intent, kept over restarts',
  R40: 'The client retries only what is safe',
  R41: 'The sender keeps the order',
};

const TABLE = /(^\| rule .*\n\|.*\n)(?:\|.*\n)*/m;

/** The README with its table of rules as the `@rule` tags in lib/ have it. */
export function withCurrentRules(readme: string): string {
  const rows = Object.entries(taggedFiles())
    .toSorted(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
    .map(([rule, paths]) => `| ${rule} | ${RULES[rule]} | ${paths.map(link).join(', ')} |\n`);
  return readme.replace(TABLE, (_, head: string) => head + rows.join(''));
}

function taggedFiles(): Record<string, string[]> {
  const rules: Record<string, string[]> = {};
  for (const { path, ruleTags } of sourceFiles('lib')) {
    for (const { rule } of ruleTags) rules[rule] = [...new Set([...(rules[rule] ?? []), path])];
  }
  return rules;
}

const link = (path: string): string => `[${path.replace('lib/', '')}](${path})`;
