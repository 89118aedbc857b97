import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Marker } from '../protocol/marker.ts';
import { readSetback, type Setback } from './setback.ts';
import type { Store } from './store.ts';

export type MarkerLook = { readonly kind: 'looked'; readonly marker: Marker | undefined } | Setback;

/**
 * Looks for a marker inside a read transaction: a plain read may miss a transaction whose other items are already
 * visible, and a refusal based on those would contradict it.
 *
 * @rule R15
 */
export async function lookAtMarker(store: Store, pk: string, signal: AbortSignal): Promise<MarkerLook> {
  try {
    const look = new TransactGetCommand({ TransactItems: [{ Get: { TableName: store.table, Key: { pk } } }] });
    const { Responses } = await store.client.send(look, { abortSignal: signal });
    return { kind: 'looked', marker: Responses?.[0]?.Item as Marker | undefined };
  } catch (error) {
    // A read transaction is cancelled for one reason that is not a setback's own name: somebody writes the item now.
    if (error instanceof TransactionCanceledException) return { kind: 'setback', reason: 'conflict' };
    const setback = readSetback(error);
    if (setback === undefined) throw error;
    return setback;
  }
}
