import { textSize } from './item-size.ts';
import { MESSAGE_ATTRIBUTES } from './message.ts';
import { SemelError } from './problems.ts';

/** A message attribute as SendMessage takes it. */
export interface AttachedValue {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

export type Attributes = Readonly<Record<string, AttachedValue>>;

/** SQS takes no more with one message, its attributes counted in. */
const MOST_BYTES = 1_048_576;
const MOST_ATTRIBUTES = 10;

/** What SQS takes in a body and in an attribute's text. */
const NEVER_TAKEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

export const textAttribute = (text: string): AttachedValue => ({ DataType: 'String', StringValue: text });

/** A text about a message, for people: what SQS would not take is replaced. */
export const readableAttribute = (text: string): AttachedValue => textAttribute(text.replace(NEVER_TAKEN, '\ufffd'));

/**
 * A body as the JSON text that is sent: SQS takes fewer characters than JSON does, and the others are escaped.
 *
 * @rule R22
 * @throws SemelError `internal-error` for what is nothing in JSON
 * @example messageText({ a: '\uffff' }) // '{"a":"\\uffff"}'
 */
export function messageText(body: unknown): string {
  const text: string | undefined = typeof body === 'string' ? body : JSON.stringify(body);
  if (text === undefined || text === '') {
    throw refused(
      `The body of a message is ${text === '' ? 'empty' : `${typeof body}, which is nothing in JSON`}`,
      'send null',
    );
  }
  return text.replace(NEVER_TAKEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Refuses a message that SQS would never take, before anything is sent or committed.
 *
 * @rule R22
 * @throws SemelError `internal-error` that names the fix
 */
export function checkMessage(text: string, named: Readonly<Record<string, string | undefined>>): void {
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  for (const [name, value] of given) {
    if (value.search(NEVER_TAKEN) >= 0) {
      throw refused(`${name} holds a character that SQS does not take`, 'encode it');
    }
  }
  const size = messageSize(text, Object.fromEntries(given.map(([name, value]) => [name, textAttribute(value)])));
  if (size > MOST_BYTES)
    throw refused(`A message of ${size} bytes is over ${MOST_BYTES}`, 'send where its body is kept');
}

/**
 * Consumers dedupe by it: an empty id is none, and would make one event of all.
 *
 * @throws SemelError `internal-error` for one that is empty or too long
 */
export function checkEventId(id: string, mostBytes: number = MOST_BYTES): void {
  if (id === '')
    throw refused('The id of an event is empty', 'give it one that stays the same however often it is sent');
  const size = textSize(id);
  if (size > mostBytes) throw refused(`The id of an event has ${size} bytes`, `it may have ${mostBytes}`);
}

/** A message's size in bytes, as SQS counts. @example messageSize('€', {}) // 3 */
export const messageSize = (text: string, attributes: Attributes): number =>
  Object.entries(attributes).reduce((sum, [name, value]) => sum + attributeSize(name, value), textSize(text));

/**
 * Of these attributes, what fits beside a message's text. What tells events apart goes first, then why the message is
 * where it is, cut short where it must be, then the detail, and at last what is the producer's own, by name.
 *
 * @rule R26
 * @rule R30
 */
export function fitAttributes(text: string, attributes: Attributes, mostBytes: number = MOST_BYTES): Attributes {
  const fitting: [string, AttachedValue][] = [];
  let room = mostBytes - textSize(text);
  for (const [name, value] of Object.entries(attributes).toSorted(byImportance)) {
    const fitted = name === MESSAGE_ATTRIBUTES.reason ? cutTo(room, name, value) : value;
    const size = attributeSize(name, fitted);
    if (fitting.length === MOST_ATTRIBUTES || size > room || fitted.StringValue === '') continue;
    fitting.push([name, fitted]);
    room -= size;
  }
  return Object.fromEntries(fitting);
}

/** Source and correlation id came with the message, so there is room for them whatever an id needs beside them. */
const FIRST: readonly string[] = [
  MESSAGE_ATTRIBUTES.source,
  MESSAGE_ATTRIBUTES.correlationId,
  MESSAGE_ATTRIBUTES.eventId,
  MESSAGE_ATTRIBUTES.reason,
];

function rankOf(name: string): number {
  if (FIRST.includes(name)) return FIRST.indexOf(name);
  if (name === MESSAGE_ATTRIBUTES.detail) return FIRST.length + 1;
  return name.startsWith('Semel-') ? FIRST.length : FIRST.length + 2;
}

const byImportance = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  rankOf(one) - rankOf(other) || (one < other ? -1 : 1);

/** A reason is a code, so its characters are bytes. */
const cutTo = (room: number, name: string, { StringValue = '' }: AttachedValue): AttachedValue =>
  textAttribute(StringValue.slice(0, Math.max(0, room - attributeSize(name, textAttribute('')))));

const attributeSize = (name: string, { DataType, StringValue = '', BinaryValue }: AttachedValue): number =>
  textSize(name) + textSize(DataType) + textSize(StringValue) + (BinaryValue?.byteLength ?? 0);

const refused = (what: string, fix: string): SemelError => new SemelError('internal-error', `${what}: ${fix}.`);
