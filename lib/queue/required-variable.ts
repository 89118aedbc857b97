/** @throws Error naming the variable that is not set */
export function required(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(
    `${name} is not set: the constructs OnceQueue and SequenceQueue set it together with the permission.`,
  );
}
