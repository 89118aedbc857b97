import type { Item } from './plan.ts';

/** What DynamoDB adds to every list and map; to each of their elements it adds one byte. */
const CONTAINER_OVERHEAD = 3;

/**
 * An item's size in bytes, close to what DynamoDB counts; `undefined` attributes are not written and count nothing.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 * @example itemSize({ pk: 'acct_1', balance: 1_000 }) // 18
 */
export function itemSize(item: Item): number {
  return sum(Object.entries(item), ([name, value]) => (value === undefined ? 0 : textSize(name) + valueSize(value)));
}

function valueSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return textSize(value);
    case 'number':
    case 'bigint':
      return numberSize(String(value));
    case 'object':
      return value === null ? 1 : objectSize(value);
    default:
      return 1;
  }
}

function objectSize(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof Set) return sum([...value], valueSize);
  if (Array.isArray(value)) return CONTAINER_OVERHEAD + sum(value, (element) => 1 + valueSize(element));
  const members = value instanceof Map ? Object.fromEntries(value) : { ...value };
  return CONTAINER_OVERHEAD + Object.keys(members).length + itemSize(members);
}

/** One byte for each two significant digits, one for the exponent, one more for a sign. */
function numberSize(literal: string): number {
  const digits = literal.replace(/e.*|\D/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (literal.startsWith('-') ? 1 : 0);
}

/** The length in UTF-8, counted: to encode the many short names of a plan takes ten times as long. */
export function textSize(text: string): number {
  let size = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    size += code < 0x80 ? 1 : code < 0x800 || isSurrogate(code) ? 2 : 3;
  }
  return size;
}

/** Two of them make one character of four bytes. */
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

const sum = <Element>(elements: readonly Element[], size: (element: Element) => number): number =>
  elements.reduce((total, element) => total + size(element), 0);
