import type { IncomingMessage } from 'node:http';

/** Reads a message's body; undefined as soon as it is longer than `limit` bytes. */
export function readBody(message: IncomingMessage, limit = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else done(undefined);
    });
    message.once('end', () => done(Buffer.concat(chunks)));
    message.once('error', fail);
    message.once('close', () => fail(new Error('The connection closed before the body ended.')));
  });
}
