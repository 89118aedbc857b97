import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KmsRequest {
  readonly KeyId: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
  readonly NumberOfBytes: number;
  readonly CiphertextBlob: string;
}

/**
 * The part of KMS that replies need, behind real HTTP, so that the real client is what is tested: it wraps a data key
 * together with its context and unwraps it under the same context only.
 */
export async function startKeyService() {
  const master = randomBytes(32);
  const asked: { readonly action: string; readonly context: KmsRequest['EncryptionContext'] }[] = [];
  let refusal: string | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const input: KmsRequest = JSON.parse(Buffer.concat(chunks).toString());
    const action = String(request.headers['x-amz-target']).replace('TrentService.', '');
    asked.push({ action, context: input.EncryptionContext });
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    try {
      if (refusal !== undefined) throw Object.assign(new Error(refusal), { name: refusal });
      response.end(JSON.stringify(action === 'Decrypt' ? unwrap(master, input) : generate(master, input)));
    } catch (error) {
      const { name, message } = error as Error;
      response.writeHead(400).end(JSON.stringify({ __type: name, message }));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every call is refused with this exception from now on; without one, none is. */
    refuse: (name: string | undefined) => {
      refusal = name;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const contextOf = ({ EncryptionContext = {} }: KmsRequest) =>
  Buffer.from(JSON.stringify(Object.entries(EncryptionContext).toSorted()));

function generate(master: Buffer, input: KmsRequest) {
  const plaintext = randomBytes(input.NumberOfBytes);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(contextOf(input));
  const wrapped = Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return {
    KeyId: input.KeyId,
    Plaintext: plaintext.toString('base64'),
    CiphertextBlob: wrapped.toString('base64'),
  };
}

function unwrap(master: Buffer, input: KmsRequest) {
  const wrapped = Buffer.from(input.CiphertextBlob, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', master, wrapped.subarray(0, 12)).setAAD(contextOf(input));
  decipher.setAuthTag(wrapped.subarray(-16));
  try {
    const plaintext = Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
    return { KeyId: input.KeyId, Plaintext: plaintext.toString('base64') };
  } catch {
    throw Object.assign(new Error('invalid'), { name: 'InvalidCiphertextException' });
  }
}
