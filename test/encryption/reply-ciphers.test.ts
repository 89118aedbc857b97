import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aesReplyCipher } from '../../lib/encryption/aes-reply-cipher.ts';
import { environmentReplyCipher } from '../../lib/encryption/environment-reply-cipher.ts';
import { kmsReplyCipher } from '../../lib/encryption/kms-reply-cipher.ts';
import type { ReplyCipher } from '../../lib/protocol/reply-cipher.ts';
import { startKeyService } from './key-service.ts';

const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const OTHER_ARN = ARN.replace('1234abcd', '4321dcba');
const context = { 'semel:operation-id': 'op_1' };
const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (plaintext: Uint8Array) => new TextDecoder().decode(plaintext);

let service: Awaited<ReturnType<typeof startKeyService>>;
beforeAll(async () => {
  service = await startKeyService();
});
afterAll(() => service.stop());
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', service.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  service.asked.splice(0);
  service.refuse(undefined);
});

const ciphers: readonly [string, () => ReplyCipher][] = [
  ['KMS', () => kmsReplyCipher(ARN)],
  ['a key in memory', () => aesReplyCipher(randomBytes(32))],
];

describe.each(ciphers)('a cipher under %s', (_, newCipher) => {
  it.each([
    ['nothing', ''],
    ['a word', 'sésame'],
    ['256 KB', 'x'.repeat(262_144)],
  ])('R17 gives back the same bytes: %s', async (_name, text) => {
    const cipher = newCipher();
    const encrypt = await cipher.prepare(context);
    const ciphertext = await encrypt(bytes(text));
    expect(textOf(await cipher.decrypt(ciphertext, context))).toBe(text);
    expect(ciphertext.byteLength - bytes(text).byteLength).toBeLessThan(4_096);
    if (text !== '') expect(Buffer.from(ciphertext).includes(text.slice(0, 64))).toBe(false);
  });

  it('R3 does not decrypt for another operation, nor what was changed', async () => {
    const cipher = newCipher();
    const ciphertext = await (await cipher.prepare(context))(bytes('secret'));
    await expect(cipher.decrypt(ciphertext, { 'semel:operation-id': 'op_2' })).rejects.toThrow('it was moved here');
    const changed = Uint8Array.from(ciphertext, (byte, index) => (index === ciphertext.length - 20 ? byte ^ 1 : byte));
    await expect(cipher.decrypt(changed, context)).rejects.toThrow();
  });
});

describe('a cipher under KMS', () => {
  it('R21 asks for all that it needs before it encrypts', async () => {
    const encrypt = await kmsReplyCipher(ARN).prepare(context);
    service.refuse('KMSInternalException');
    await encrypt(bytes('secret'));
    expect(service.asked).toEqual([{ action: 'GenerateDataKey', context }]);
  });

  it('R21 says so when the key is withdrawn', async () => {
    const cipher = kmsReplyCipher(ARN);
    const ciphertext = await (await cipher.prepare(context))(bytes('secret'));
    service.refuse('DisabledException');
    await expect(cipher.prepare(context)).rejects.toThrow('DisabledException');
    await expect(cipher.decrypt(ciphertext, context)).rejects.toThrow('DisabledException');
  });

  it('R21 does not wait longer than three seconds for a service that is not there', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', 'http://127.0.0.1:1');
    const started = performance.now();
    await expect(kmsReplyCipher(ARN).prepare(context)).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('R3 decrypts nothing that another key has wrapped', async () => {
    const ciphertext = await (await kmsReplyCipher(OTHER_ARN).prepare(context))(bytes('secret'));
    service.asked.splice(0);
    await expect(kmsReplyCipher(ARN).decrypt(ciphertext, context)).rejects.toThrow();
    expect(service.asked).toEqual([]);
  });
});

describe('the cipher of the environment', () => {
  it('is under the key of KMS that the stack names', async () => {
    vi.stubEnv('REPLY_KEY_ARN', ARN);
    await environmentReplyCipher().prepare(context);
    expect(service.asked).toHaveLength(1);
  });

  it('is under a key of its own on a machine without KMS', async () => {
    vi.stubEnv('REPLY_KEY_ARN', ARN);
    vi.stubEnv('REPLY_KEY', randomBytes(32).toString('base64'));
    await environmentReplyCipher().prepare(context);
    expect(service.asked).toEqual([]);
  });

  it('keeps a function from starting without a key, or with half of one', () => {
    expect(environmentReplyCipher).toThrow('grantReplyKey');
    vi.stubEnv('REPLY_KEY', randomBytes(16).toString('base64'));
    expect(environmentReplyCipher).toThrow('A reply key has 32 bytes, not 16.');
  });
});
