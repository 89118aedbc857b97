/** Bytes as base64url without padding (RFC 4648 §5). @example toBase64Url(Uint8Array.of(251, 255)) // '-_8' */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/**
 * Reads base64url without padding; undefined for any text that `toBase64Url` would not have written.
 * The comparison also refuses unused bits that are not zero: else one id could be spelled in several ways.
 *
 * @example fromBase64Url('-_8') // Uint8Array [251, 255]
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const characters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : undefined;
}
