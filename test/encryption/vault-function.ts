import * as z from 'zod';
import { environmentReplyCipher } from '../../lib/encryption/environment-reply-cipher.ts';
import { environmentEngine } from '../../lib/engine/environment-engine.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

/** A Lambda's file as a user writes it: who opens a vault is told its combination once, and again when asking again. */
export const handler = endpoint({
  engine: environmentEngine({ replyCipher: environmentReplyCipher() }),
  authenticate: async () => 'alice',
  operation: 'open-vault',
  mode: 'atomic',
  storedBody: 'encrypted',
  body: z.object({ owner: z.string() }),
  run: ({ body, operation }) => ({
    effects: [{ Put: { Item: { pk: `vault#${operation.uuid}`, sk: 'vault', owner: body.owner } } }],
    reply: { status: 201, body: { id: operation.uuid, combination: Math.random() } },
  }),
});
