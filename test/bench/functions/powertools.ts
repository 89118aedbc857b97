import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { powertoolsTransfers } from '../subjects/powertools.ts';
import { environmentStore, transferFunction } from './transfer-function.ts';

const store = environmentStore();
const layer = new DynamoDBPersistenceLayer({ tableName: process.env.POWERTOOLS_TABLE ?? '' });

export const handler = transferFunction(store, powertoolsTransfers(store, layer));
