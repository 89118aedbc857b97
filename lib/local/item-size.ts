/** An attribute as DynamoDB's JSON writes it: one member, named for its type. */
type AttributeValue = Readonly<Record<string, unknown>>;
export type AttributeMap = Readonly<Record<string, AttributeValue>>;

/** A list or map costs this much besides its members; each member of one costs one byte more. */
const COLLECTION_BYTES = 3;

/**
 * The size of an item in bytes, as DynamoDB counts it when it bills.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemSize = (item: AttributeMap): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

function valueSize(attribute: AttributeValue): number {
  const [type, value] = Object.entries(attribute)[0] ?? ['NULL', true];
  switch (type) {
    case 'S':
      return Buffer.byteLength(String(value));
    case 'N':
      return numberSize(String(value));
    case 'B':
      return Buffer.byteLength(String(value), 'base64');
    case 'SS':
    case 'NS':
    case 'BS':
      return (value as string[]).reduce((sum, member) => sum + valueSize({ [type.slice(0, 1)]: member }), 0);
    case 'L':
      return (value as AttributeValue[]).reduce((sum, member) => sum + 1 + valueSize(member), COLLECTION_BYTES);
    case 'M':
      return COLLECTION_BYTES + itemSize(value as AttributeMap) + Object.keys(value as object).length;
    default:
      return 1; // NULL and BOOL
  }
}

/** About one byte for two significant digits, plus one, plus one for a sign. */
function numberSize(text: string): number {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
