import { toHex } from './hex.ts';

/** The text of a UUID's 16 bytes. @example uuidText(new Uint8Array(16)) // '00000000-0000-0000-0000-000000000000' */
export const uuidText = (bytes: Uint8Array): string => toHex(bytes).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
