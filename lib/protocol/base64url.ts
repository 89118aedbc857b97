const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES: ReadonlyMap<string, number> = new Map([...ALPHABET].map((character, value) => [character, value]));

/** Bytes as base64url without padding (RFC 4648 §5). @example toBase64Url(Uint8Array.of(251, 255)) // '-_8' */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 6; ) {
      bits -= 6;
      text += ALPHABET.charAt((buffer >> bits) & 63);
    }
  }
  return bits === 0 ? text : text + ALPHABET.charAt((buffer << (6 - bits)) & 63);
}

/**
 * Reads base64url without padding; undefined for any text that `toBase64Url` would not have written.
 * Left-over bits must be zero, or one id could be spelled in several ways.
 *
 * @example fromBase64Url('-_8') // Uint8Array [251, 255]
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let buffer = 0;
  let bits = 0;
  let length = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return undefined;
    buffer = (buffer << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = buffer >> bits;
  }
  const leftOver = buffer & ((1 << bits) - 1);
  return bits < 6 && leftOver === 0 ? bytes : undefined;
}
