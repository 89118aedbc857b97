import { ENVIRONMENT } from '../lib/environment.ts';
import { routes } from '../lib/http/routes.ts';
import { Ledger } from '../lib/sandbox-provider/ledger.ts';
import { sandboxProvider } from '../lib/sandbox-provider/sandbox-provider.ts';
import { documentClient } from '../lib/store/document-client.ts';

const ledger = new Ledger(documentClient(), process.env[ENVIRONMENT.providerTable] ?? '');

export const handler = routes(sandboxProvider({ ledger }));
