import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../lib/protocol/hex.ts';
import { formatOperationId, operationUuid, parseOperationId } from '../../lib/protocol/operation-id.ts';
import { problemOf } from './problem-of.ts';
import { sha256 } from './sha256.ts';

const keyHash = sha256('k');
const uuid = '019ad500-1234-7abc-8def-0123456789ab';
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const nonce = Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
const id = `op_${base64url(keyHash)}.${nonce}`;

describe('operation id', () => {
  it('R11 holds the key hash and the nonce, and gives both back', () => {
    expect(formatOperationId(keyHash, nonce)).toBe(id);
    const parts = parseOperationId(id);
    expect(parts?.nonce).toBe(nonce);
    expect(toHex(parts?.keyHash ?? new Uint8Array())).toBe(toHex(keyHash));
  });

  it('R11 gives the UUID that the ids of created things derive from', () => {
    expect(operationUuid(id)).toBe(uuid);
  });

  it.each([
    ['nothing', ''],
    ['no prefix', id.slice(3)],
    ['another prefix', id.replace('op_', 'tr_')],
    ['a prefix in capitals', id.replace('op_', 'OP_')],
    ['no nonce', id.split('.')[0] ?? ''],
    ['an empty nonce', `${id.split('.')[0]}.`],
    ['a short hash', id.replace('op_', 'op_A').replace(/.\./, '.').replace('op_AA', 'op_')],
    ['a longer nonce', `${id}A`],
    ['a third part', `${id}.x`],
    ['base64 instead of base64url', id.replace(/^op_./, 'op_+')],
    ['padding', `${id.slice(0, -1)}=`],
    ['a trailing newline', `${id}\n`],
    ['white space', ` ${id}`],
    ['unused bits in the nonce', `${id.slice(0, -1)}${id.endsWith('w') ? 'x' : 'B'}`],
    ['unused bits in the hash', id.replace(/.\./, 'B.')],
  ])('R11 refuses %s', (_, text) => {
    expect(parseOperationId(text)).toBeUndefined();
  });

  it('R11 refuses to write what it would not read', () => {
    const refusal = {
      code: 'internal-error',
      message: 'An operation id needs a hash of 32 bytes and a nonce of 16 bytes in base64url.',
    };
    expect(problemOf(() => formatOperationId(keyHash.slice(1), nonce))).toMatchObject(refusal);
    expect(problemOf(() => formatOperationId(keyHash, 'short'))).toMatchObject(refusal);
    expect(problemOf(() => formatOperationId(keyHash, `${nonce}=`))).toMatchObject(refusal);
  });

  it('R11 derives ids from nothing but an operation id', () => {
    expect(problemOf(() => operationUuid('op_x.y'))).toMatchObject({
      code: 'internal-error',
      message: 'An id can only be derived from an operation id.',
    });
  });

  it('R11 reads back every id it writes', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(bytes(32), bytes(16), (hash, nonceBytes) => {
        const parts = { keyHash: hash, nonce: base64url(nonceBytes) };
        expect(parseOperationId(formatOperationId(parts.keyHash, parts.nonce))).toEqual(parts);
      }),
    );
  });
});
