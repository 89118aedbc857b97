import { naiveTransfers } from '../subjects/naive.ts';
import { environmentStore, transferFunction } from './transfer-function.ts';

const store = environmentStore();

export const handler = transferFunction(store, naiveTransfers(store));
