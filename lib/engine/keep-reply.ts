import { SemelError } from '../protocol/problems.ts';
import type { CompletedRecord, RecordBase } from '../protocol/record.ts';
import { type EncryptedReply, type StoredBody, type StoredReply, withinReplyLimit } from '../protocol/reply.ts';
import type { EncryptBody, ReplyCipher } from '../protocol/reply-cipher.ts';
import type { Engine } from './engine.ts';

/** What a record holds of its reply; nothing is a tombstone. */
export type KeptReply = Pick<CompletedRecord, 'reply' | 'encryptedReply' | 'replyHead'>;

/** Writes down what is kept of a reply; nothing that it needs is out of reach any more. */
export type KeepReply = (reply: StoredReply) => Promise<KeptReply>;

type Identity = Pick<RecordBase, 'operation' | 'operationId'>;

/** When a client may usefully come back. */
const RETRY_AFTER = 1_000;
const FIRST_REFUSAL = 400;

/**
 * How replies of one operation are kept. What that takes is obtained once, when it is first asked for: before anything is
 * written or called, so that no outcome waits for a key.
 *
 * @rule R17
 * @rule R20
 * @throws SemelError `cipher-unavailable`, when it is asked for
 */
export function keeping(
  { replyCipher }: Engine,
  storedBody: StoredBody | undefined,
  identity: Identity,
): () => Promise<KeepReply> {
  let ready: Promise<KeepReply> | undefined;
  return () => {
    ready ??= readyToKeep(replyCipher, storedBody, identity);
    return ready;
  };
}

async function readyToKeep(
  replyCipher: ReplyCipher | undefined,
  storedBody: StoredBody = 'whole',
  identity: Identity,
): Promise<KeepReply> {
  switch (storedBody) {
    case 'whole':
      return async (reply) => keepWhole(reply);
    case 'omitted':
      return async (reply) => omitBody(reply);
    case 'encrypted': {
      const encrypt = await reach(replyCipher, (cipher) => cipher.prepare(contextOf(identity)));
      return (reply) => encryptBody(reply, encrypt);
    }
  }
}

/** One that is too large to be kept was refused before, where it could be; here its effect is done (R20). */
const keepWhole = (reply: StoredReply): KeptReply => (withinReplyLimit(reply) ? { reply } : {});

/** A "no" keeps its body: 410 in its place would not tell it from a "done". Of any other the size does not matter. */
function omitBody({ body, ...head }: StoredReply): KeptReply {
  if (body === undefined || head.status >= FIRST_REFUSAL) return keepWhole({ ...head, body });
  return { replyHead: head };
}

async function encryptBody(reply: StoredReply, encrypt: EncryptBody): Promise<KeptReply> {
  const { body, ...head } = reply;
  if (body === undefined || !withinReplyLimit(reply)) return keepWhole(reply);
  const isText = typeof body === 'string';
  const ciphertext = await encrypt(isText ? new TextEncoder().encode(body) : body);
  return { encryptedReply: { ...head, ciphertext, bodyIs: isText ? 'text' : 'bytes' } };
}

/**
 * A kept reply as it was first sent.
 *
 * @rule R17
 * @throws SemelError `cipher-unavailable` when it cannot be decrypted: closed, since to run again would be worse
 */
export async function openReply(
  { replyCipher }: Engine,
  identity: Identity,
  kept: StoredReply | EncryptedReply,
): Promise<StoredReply> {
  if (!('ciphertext' in kept)) return kept;
  const { ciphertext, bodyIs, ...head } = kept;
  const bytes = await reach(replyCipher, (cipher) => cipher.decrypt(ciphertext, contextOf(identity)));
  return { ...head, body: bodyIs === 'text' ? DECODER.decode(bytes) : bytes };
}

/** A byte order mark is part of the text, or the bytes would not be the same. */
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The id holds caller and key as their hash, so that a ciphertext is good for one record alone. */
const contextOf = ({ operation, operationId }: Identity) => ({
  'semel:operation': operation,
  'semel:operation-id': operationId,
});

async function reach<Got>(
  replyCipher: ReplyCipher | undefined,
  ask: (cipher: ReplyCipher) => Promise<Got>,
): Promise<Got> {
  try {
    if (replyCipher === undefined) throw new Error(NO_CIPHER);
    return await ask(replyCipher);
  } catch (cause) {
    throw new SemelError(
      'cipher-unavailable',
      'The reply cannot be encrypted or decrypted at the moment. Send the same request again.',
      { retryAfter: RETRY_AFTER, cause },
    );
  }
}

const NO_CIPHER = 'The engine has no replyCipher: environmentEngine({ replyCipher }) or createEngine({ replyCipher }).';

/**
 * Makes sure that replies which must be encrypted can be: a function that could keep none must not start.
 *
 * @throws Error that names the operation
 */
export function assertCipher(
  { name, storedBody }: { readonly name: string; readonly storedBody?: StoredBody | undefined },
  engine: Engine | undefined,
): void {
  if (storedBody !== 'encrypted' || engine?.replyCipher !== undefined) return;
  throw new Error(`${name} stores its replies encrypted. ${NO_CIPHER}`);
}
