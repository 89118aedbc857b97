import { endpoint } from 'semel/http';
import * as z from 'zod';

const Note = z.object({ text: z.string().min(1) });

/** Returns what it wants written: the note and the record of the request are committed together, or neither is. */
export const handler = endpoint({
  operation: 'create-note',
  mode: 'atomic',
  body: Note,
  run: ({ body, caller, operation }) => ({
    effects: [{ Put: { Item: { pk: `note#${operation.uuid}`, sk: 'note', owner: caller, text: body.text } } }],
    reply: { status: 201, headers: { Location: `/notes/${operation.uuid}` }, body: { id: operation.uuid, ...body } },
  }),
});
