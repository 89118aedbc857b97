import { randomUUID } from 'node:crypto';
import { createEngine, type Engine } from '../../lib/engine/engine.ts';
import { reconcile } from '../../lib/engine/reconcile.ts';
import { SYSTEM } from '../../lib/engine/surroundings.ts';
import type { Authenticate } from '../../lib/http/authenticate.ts';
import { route } from '../../lib/http/endpoint.ts';
import { routes } from '../../lib/http/routes.ts';
import type { LeasedOperation } from '../../lib/protocol/leased-operation.ts';
import { milliseconds } from '../../lib/protocol/time.ts';
import type { Store } from '../../lib/store/store.ts';
import { createAccount, showAccount } from '../../lib/wallet/account.ts';
import { chargeOperation, showCharge } from '../../lib/wallet/charge.ts';
import { listEntries } from '../../lib/wallet/entries.ts';
import { CREATE_ACCOUNT, CREATE_CHARGE, CREATE_REFUND, CREATE_TRANSFER } from '../../lib/wallet/keyed-operations.ts';
import { httpProvider } from '../../lib/wallet/provider.ts';
import { refundOperation } from '../../lib/wallet/refund.ts';
import { transfer } from '../../lib/wallet/transfer.ts';
import { freshStore } from '../setup/fresh-store.ts';
import { httpEvent, lambdaContext } from '../setup/http-event.ts';
import { type ProviderServer, startProvider } from '../setup/provider-server.ts';

/** Between the sped-up provider's slow and late answers. */
const PROVIDER_TIMEOUT = milliseconds(1_500);

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any;
}

interface Sent {
  /** @default a new one */
  readonly key?: string;
  /** @default 'alice' */
  readonly caller?: string;
  readonly body?: unknown;
  readonly prefer?: string;
}

/** The wallet in this process: its routes and reconciler on DynamoDB Local, and the sandbox provider behind HTTP. */
export class Charging {
  readonly store: Store;
  readonly provider: ProviderServer;
  #offset = 0;
  #crash: ((command: object) => boolean) | undefined;

  constructor(store: Store, provider: ProviderServer) {
    this.store = store;
    this.provider = provider;
  }

  /** Lets time pass, for leases. */
  advance(duration: number): void {
    this.#offset += duration;
  }

  /** The next execution environment that would send such a command ends there, and with it all that it was doing. */
  crashBefore(command: (sent: object) => boolean): void {
    this.#crash = command;
  }

  async openAccount(openingBalance?: number, caller = 'alice'): Promise<string> {
    const body = { currency: 'EUR', ...(openingBalance && { openingBalance }) };
    return (await this.send('POST /accounts', '/accounts', { body, caller })).body.id;
  }

  charge(account: string, source: string, sent: Sent & { amount?: number } = {}): Promise<Reply> {
    const { amount = 500, ...rest } = sent;
    return this.send('POST /charges', '/charges', { body: { account, amount, source }, ...rest });
  }

  refund(charge: string, body?: unknown, sent: Sent = {}): Promise<Reply> {
    return this.send('POST /charges/{id}/refunds', `/charges/${charge}/refunds`, { body, ...sent });
  }

  async balanceOf(account: string): Promise<number> {
    return (await this.send('GET /accounts/{id}', `/accounts/${account}`)).body.balance;
  }

  /** Newest first, as kind, signed amount and balance after it. */
  async entriesOf(account: string): Promise<[kind: string, amount: number, balance: number][]> {
    const { body } = await this.send('GET /accounts/{id}/entries', `/accounts/${account}/entries`);
    return body.entries.map(({ kind, amount, balance }: Record<string, unknown>) => [kind, amount, balance]);
  }

  async send(template: string, path: string, sent: Sent = {}): Promise<Reply> {
    const { key = randomUUID(), caller = 'alice', body, prefer } = sent;
    const headers = { caller, 'idempotency-key': key, ...(prefer && { prefer }) };
    const params = { id: path.split('/')[2] ?? '' };
    const answer = await this.#handler()(httpEvent({ route: template, path, params, headers, body }), lambdaContext());
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
  }

  reconcile(): Promise<Readonly<Record<string, number>>> {
    const { charge, refund } = this.#operations();
    const engine = this.#engine();
    const operations = [charge, refund] as unknown as LeasedOperation[];
    return reconcile(engine, operations, milliseconds(engine.surroundings.now() + 60_000));
  }

  #operations() {
    const provider = httpProvider({ url: this.provider.url, timeout: PROVIDER_TIMEOUT });
    return { charge: chargeOperation(provider), refund: refundOperation(provider) };
  }

  /** A new execution environment: its crash is not the next one's. */
  #engine(): Engine {
    const { store } = this;
    let crashed = false;
    const send = (command: object, ...rest: unknown[]) => {
      if (this.#crash?.(command)) {
        crashed = true;
        this.#crash = undefined;
      }
      if (crashed) throw new Error('crashed');
      return Reflect.apply(store.client.send, store.client, [command, ...rest]);
    };
    const client = new Proxy(store.client, {
      get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)),
    });
    const now = () => milliseconds(Date.now() + this.#offset);
    return createEngine({ store: { ...store, client }, surroundings: { ...SYSTEM, now } });
  }

  #handler() {
    const { charge, refund } = this.#operations();
    const authenticate: Authenticate = async (request) => request.header('caller')[0] ?? '';
    const base = { engine: this.#engine(), authenticate };
    return routes({
      'POST /accounts': route({
        ...base,
        ...CREATE_ACCOUNT,
        run: ({ body, caller, operation }) => createAccount({ ...body, caller, operation }),
      }),
      'GET /accounts/{id}': route({
        ...base,
        mode: 'read',
        run: ({ params, caller, read }) => showAccount(params.id ?? '', caller, read),
      }),
      'GET /accounts/{id}/entries': route({
        ...base,
        mode: 'read',
        run: ({ params, caller, query, read }) => listEntries({ id: params.id ?? '', caller, query }, read),
      }),
      'POST /transfers': route({
        ...base,
        ...CREATE_TRANSFER,
        run: ({ body, caller, operation, read }) => transfer({ ...body, caller, operation }, read),
      }),
      'POST /charges': route({
        ...base,
        mode: 'leased',
        operation: charge,
        body: CREATE_CHARGE.body,
        intent: ({ body }) => body,
      }),
      'GET /charges/{id}': route({
        ...base,
        mode: 'read',
        run: ({ params, caller, read }) => showCharge(params.id ?? '', caller, read),
      }),
      'POST /charges/{id}/refunds': route({
        ...base,
        mode: 'leased',
        operation: refund,
        body: CREATE_REFUND.body,
        intent: ({ body, params }) => ({ charge: params.id ?? '', amount: body.amount }),
      }),
    });
  }
}

export async function startCharging(): Promise<Charging> {
  const store = await freshStore();
  return new Charging(store, await startProvider(store));
}
