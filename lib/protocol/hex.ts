/** Bytes as lower-case hexadecimal text. @example toHex(Uint8Array.of(0, 255)) // '00ff' */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
