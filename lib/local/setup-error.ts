/** Something on this machine keeps the local cloud from starting; the message says what to do about it. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
