import { UsageError } from './usage-error.ts';

const NUMBER = /^(\d+(?:\.\d+)?(?:e\d{1,2})?)\s*([a-z%]*)$/i;

/** Units by how they are written, in lower case, and what they stand for; `''` is the bare number. */
type Units = Readonly<Record<string, number>>;

/** Any number above 0. @example '10e6' */
export const COUNT: Units = { '': 1, k: 1e3, m: 1e6 };
/** In days. @example '7d', '24h' */
export const DURATION: Units = { d: 1, h: 1 / 24 };
/** In bytes. @example '1.5KB' */
export const SIZE: Units = { '': 1, b: 1, kb: 1e3, mb: 1e6 };
/** As a part of one. @example '5%', '0.05' */
export const SHARE: Units = { '': 1, '%': 0.01 };

/**
 * Reads a quantity as people write it.
 *
 * @throws UsageError that names the option and shows how it is written
 * @example readQuantity('--retention', '7d', DURATION, '7d or 24h') // 7
 */
export function readQuantity(option: string, text: string, units: Units, written: string): number {
  const [, digits = '', unit = ''] = NUMBER.exec(text.trim()) ?? [];
  const factor = digits === '' ? undefined : units[unit.toLowerCase()];
  const value = Number(digits) * (factor ?? Number.NaN);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${option} is "${text}"; it is written like ${written}.`);
}
