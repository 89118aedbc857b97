import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Record<string, unknown>;
}

type Raw = Parameters<typeof unmarshall>[0];

/** The attributes of a command that are items, and so are marshalled at this level. */
const ITEMS = ['Item', 'Key', 'ExpressionAttributeValues'] as const;

/**
 * Makes a DynamoDBClient out of a modelled document client, for a library that brings raw commands. It has as much of a
 * client's shape as that library asks for.
 */
export function lowLevelClient(document: DynamoDBDocumentClient): DynamoDBClient {
  const send = async (command: Command): Promise<object> => {
    const { input } = command;
    const plain = Object.fromEntries(
      Object.entries(input).map(([name, value]) =>
        ITEMS.some((item) => item === name) ? [name, unmarshall(value as Raw)] : [name, value],
      ),
    );
    const name = command.constructor.name.replace('ItemCommand', 'Command');
    const output = (await document.send({ constructor: { name }, input: plain } as never)) as { Item?: object };
    return output.Item === undefined ? output : { ...output, Item: marshall(output.Item) };
  };
  return clientOf(send);
}

/** A client that sends nothing: every write succeeds at once. */
export const instantLowLevelClient = (): DynamoDBClient => clientOf(async () => ({}));

function clientOf(send: (command: Command) => Promise<object>): DynamoDBClient {
  const middlewareStack = { identify: () => ['addPowertoolsToUserAgent'], addRelativeTo: () => {} };
  return { send, config: {}, middlewareStack } as unknown as DynamoDBClient;
}

let transactions = 0;

/** What the real SDK does for a transaction that brings no client request token: it makes one for each `send`. */
export function withRequestTokens(document: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = (command: Command): Promise<unknown> => {
    const { name } = command.constructor;
    const token = name === 'TransactWriteCommand' ? { ClientRequestToken: `token-${++transactions}` } : {};
    const sent = { constructor: { name }, input: { ...token, ...command.input } };
    return document.send(sent as never) as Promise<unknown>;
  };
  return { send } as unknown as DynamoDBDocumentClient;
}
