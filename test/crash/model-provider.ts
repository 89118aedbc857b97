import { declined, succeeded, unknown } from '../../lib/protocol/outside-call.ts';
import type { Provider, Receipt } from '../../lib/wallet/provider.ts';

/** A request that reaches the payment provider. */
interface ProviderRequest {
  readonly kind: 'charge' | 'refund' | 'find';
  readonly reference: string;
  readonly amount: number;
  readonly source?: string;
}

type ProviderAnswer = Receipt | 'declined' | 'not-found';

/** One call to the provider, as a step of a schedule. @throws when no answer comes */
export type ProviderCall = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** A provider that dedupes by its reference, as good ones do; every movement of money is on its books. */
export class ModelProvider {
  readonly receipts = new Map<string, Receipt & { readonly kind: 'charge' | 'refund' }>();

  apply({ kind, reference, amount, source }: ProviderRequest): ProviderAnswer {
    const known = this.receipts.get(reference);
    if (known !== undefined) return known;
    if (kind === 'find') return 'not-found';
    if (source === 'tok_declined') return 'declined';
    const receipt = { id: `pr_${this.receipts.size}`, reference, amount, kind };
    this.receipts.set(reference, receipt);
    return receipt;
  }
}

/** The wallet's provider over such calls: what is not answered is unknown. */
export function providerOver(call: ProviderCall): Provider {
  const order = (request: ProviderRequest) =>
    call(request).then(
      (answer) => (typeof answer === 'string' ? declined(answer) : succeeded(answer)),
      (error: unknown) => unknown(error),
    );
  const find = ({ reference, amount }: { reference: string; amount: number }) =>
    call({ kind: 'find', reference, amount }).then(
      (answer) => (typeof answer === 'string' ? ({ kind: 'not-found' } as const) : succeeded(answer)),
      (error: unknown) => unknown(error),
    );
  return {
    charge: ({ reference, amount, source }) => order({ kind: 'charge', reference, amount, source }),
    refund: ({ reference, amount }) => order({ kind: 'refund', reference, amount }),
    findCharge: find,
    findRefund: find,
  };
}
