/** One thing that the protocol must not lose: what is taken away, and which proof must notice. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A pattern of scenarios to explore, or test files to run. */
  readonly noticedBy: { readonly scenarios: string } | { readonly tests: readonly string[] };
}

const RECORD_CONDITION = 'lib/store/record-condition.ts';
const DECIDE = 'lib/protocol/decide.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'claim over whatever is there',
    file: RECORD_CONDITION,
    find: "ConditionExpression: 'attribute_not_exists(pk)'",
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)'",
    noticedBy: { scenarios: 'one transfer by two' },
  },
  {
    name: 'replace an expired record without looking whose it is',
    file: RECORD_CONDITION,
    find: "ConditionExpression: 'ownerToken = :owner',",
    replace: "ConditionExpression: 'attribute_exists(pk) AND :owner = :owner',",
    noticedBy: { scenarios: 'expired' },
  },
  {
    name: 'fence without the owner',
    file: RECORD_CONDITION,
    find: 'ownerToken = :owner AND #status = :inProgress',
    replace: ':owner = :owner AND #status = :inProgress',
    noticedBy: { scenarios: 'plain|charge' },
  },
  {
    name: 'fence without the status',
    file: RECORD_CONDITION,
    find: 'ownerToken = :owner AND #status = :inProgress',
    replace: 'ownerToken = :owner AND :inProgress = :inProgress AND attribute_exists(#status)',
    noticedBy: { tests: ['test/engine'] },
  },
  {
    name: 'take over without comparing the lease',
    file: RECORD_CONDITION,
    find: 'AND leaseUntil = :lease',
    replace: 'AND :lease = :lease',
    noticedBy: { tests: ['test/engine'] },
  },
  {
    name: 'take over without comparing how far the operation came',
    file: RECORD_CONDITION,
    find: 'AND leaseUntil = :lease AND ${phase}',
    replace: 'AND leaseUntil = :lease',
    noticedBy: { tests: ['test/engine/leased'] },
  },
  {
    name: 'forget that the completion is our own',
    file: DECIDE,
    find: 'const ours = record.ownerToken === attempt.ownerToken;',
    replace: 'const ours = false;',
    noticedBy: { tests: ['test/engine', 'test/protocol/decide.test.ts'] },
  },
  {
    name: 'replay whatever the fingerprint says',
    file: DECIDE,
    find: 'if (record.fingerprint !== attempt.fingerprint(record.fingerprintVersion))',
    replace: 'if (record.fingerprint === undefined)',
    noticedBy: { scenarios: 'one key for two' },
  },
  {
    name: 'take over while the lease runs',
    file: DECIDE,
    find: 'record.leaseUntil <= now',
    replace: 'record.leaseUntil > now',
    noticedBy: { scenarios: 'charge' },
  },
  {
    name: 'never expire',
    file: DECIDE,
    find: 'record.expiresAt * 1_000 <= now',
    replace: 'record.expiresAt * 1_000 < 0',
    noticedBy: { scenarios: 'expired' },
  },
  {
    name: 'release after a takeover',
    file: 'lib/protocol/lease.ts',
    find: 'record.attempt === 1 && record.recoveryPoint === undefined',
    replace: 'record.recoveryPoint === undefined',
    noticedBy: { scenarios: 'plain' },
  },
  {
    name: 'take an unknown outcome for a decline',
    file: 'lib/engine/finish-held.ts',
    find: 'return await rest(run, outcome.cause);',
    replace: "return await book(run, 'refused', (bookedAt) => operation.cancel({ ...phase, bookedAt }, 'unknown'));",
    noticedBy: { scenarios: 'a charge, sent' },
  },
  {
    name: 'release an unknown outcome',
    file: 'lib/engine/finish-held.ts',
    find: 'return await rest(run, outcome.cause);',
    replace:
      "await run.held.release(); return { kind: 'suspended', answer: outcomeUnknown(1, outcome.cause), counter: 'unknown' };",
    noticedBy: { scenarios: 'plain|a charge, sent' },
  },
  {
    name: 'a new operation id at a takeover',
    file: 'lib/engine/new-record.ts',
    find: '  attempt: record.attempt + 1,',
    replace:
      '  attempt: record.attempt + 1,\n  operationId: `${record.operationId.slice(0, -2)}${String(record.attempt + 10)}`,',
    noticedBy: { scenarios: 'plain|charge' },
  },
  {
    name: 'ask the effects before the record',
    file: 'lib/protocol/cancellation.ts',
    find: "if (record?.Code === CONDITION_FAILED) return { kind: 'record', item: record.Item };",
    replace:
      "if (record?.Code === CONDITION_FAILED && !effects.some(({ Code }) => Code === CONDITION_FAILED)) return { kind: 'record', item: record.Item };",
    noticedBy: { scenarios: 'all there is|refused' },
  },
  {
    name: "believe an effect while the record's reason is a conflict",
    file: 'lib/protocol/cancellation.ts',
    find: 'if (record !== undefined && happened(record)) return retryOrRejection(record);',
    replace: '',
    noticedBy: { tests: ['test/protocol/cancellation.test.ts'] },
  },
  {
    name: 'answer with a reply that is not the stored one',
    file: 'lib/engine/new-record.ts',
    find: '...over.kept,',
    replace: '...(over.kept.reply && { reply: { ...over.kept.reply, body: `${over.kept.reply.body} ` } }),',
    noticedBy: { scenarios: 'one transfer by two' },
  },
  {
    name: 'tell a reply that was not the one committed',
    file: 'lib/engine/own-completion.ts',
    find: 'met.completedAt === written.completedAt &&',
    replace: '',
    noticedBy: { tests: ['test/engine/omitted-body.test.ts'] },
  },
  {
    name: 'claim before the reply can be kept',
    file: 'lib/engine/run-leased.ts',
    find: 'await run.keep();',
    replace: '',
    noticedBy: { tests: ['test/engine/leased/stored-body.test.ts'] },
  },
  {
    name: 'call before the reply can be kept',
    file: 'lib/engine/finish-held.ts',
    find: 'if (unable !== undefined) return notBegun(unable);',
    replace: '',
    noticedBy: { tests: ['test/engine/leased/stored-body.test.ts'] },
  },
  {
    name: 'decrypt a reply that was moved from another record',
    file: 'lib/encryption/keyring-cipher.ts',
    find: 'assertContext(messageHeader.encryptionContext, context);',
    replace: '',
    noticedBy: { tests: ['test/encryption/reply-ciphers.test.ts'] },
  },
  {
    name: 'apply a message whether or not its marker is there',
    file: 'lib/store/apply-marked.ts',
    find: '...IF_ABSENT }',
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)' }",
    noticedBy: { scenarios: 'deposit' },
  },
  {
    name: 'move a mark from wherever it is',
    file: 'lib/store/advance-mark.ts',
    find: "last === 0 ? '(attribute_not_exists(#last) OR #last = :from)' : '#last = :from'",
    replace:
      "last === 0 ? '(attribute_not_exists(#last) OR #last >= :from)' : '(attribute_not_exists(#last) OR #last >= :from)'",
    noticedBy: { scenarios: 'overlapping' },
  },
  {
    name: 'answer an unstored problem without a look at the record',
    file: 'lib/engine/keyed-run.ts',
    find: 'const met = await look(run, meet, deadline).catch(() => undefined);',
    replace: 'const met = undefined as Awaited<ReturnType<typeof look<Step>>>; void deadline;',
    noticedBy: { tests: ['test/engine', 'test/http'] },
  },
  {
    name: 'store a refusal over whatever is there',
    file: 'lib/engine/keyed-run.ts',
    find: 'putRecord(engine.store, record, startCondition(replaces), signal)',
    replace: "putRecord(engine.store, record, { ConditionExpression: 'attribute_not_exists(nothing)' }, signal)",
    noticedBy: { scenarios: 'all there is|refused' },
  },
  {
    name: 'fingerprint without the body',
    file: 'lib/protocol/fingerprint.ts',
    find: 'toHex(hash(requestLine(request), ...bodyParts(request.body)))',
    replace: 'toHex(hash(requestLine(request)))',
    noticedBy: { tests: ['test/protocol/fingerprint.test.ts'] },
  },
  {
    name: 'a lease that ends with the function',
    file: 'lib/protocol/lease.ts',
    find: 'now + Math.max(0, remaining) + SKEW_ALLOWANCE',
    replace: 'now + Math.max(0, remaining)',
    noticedBy: { tests: ['test/protocol/lease.test.ts'] },
  },
  {
    name: 'release while a checkpoint is in doubt',
    file: 'lib/engine/held-record.ts',
    find: 'return this.#doubt === undefined && mayRelease',
    replace: 'return mayRelease',
    noticedBy: { tests: ['test/engine/leased'] },
  },
  {
    name: 'answer a last word for an operation that goes on',
    file: 'lib/engine/finish-held.ts',
    find: 'if (!frees && !saysLater(told))',
    replace: 'if (!frees && told === undefined)',
    noticedBy: { tests: ['test/engine/leased'] },
  },
  {
    name: 'let one record stop the reconciler',
    file: 'lib/engine/reconcile.ts',
    find: 'await reconcileOne(run, pk).catch((thrown) => failed(run, pk, thrown))',
    replace: 'await reconcileOne(run, pk)',
    noticedBy: { tests: ['test/engine/leased'] },
  },
  {
    name: 'show the reply of an operation to whoever asked for it once',
    file: 'lib/http/show-operation.ts',
    find: "record.status === 'completed' && (await",
    replace: "record.status !== 'completed' && record.status === 'completed' && (await",
    noticedBy: { tests: ['test/engine/leased'] },
  },
  {
    name: 'compute the fingerprint when it is asked for',
    file: 'lib/engine/attempt.ts',
    find: 'version === FINGERPRINT_VERSION ? current : fingerprint(',
    replace: 'current && fingerprint(',
    noticedBy: { tests: ['test/engine'] },
  },
];
