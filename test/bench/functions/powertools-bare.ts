import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { powertoolsTransfers } from '../subjects/powertools.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());
const layer = new DynamoDBPersistenceLayer({ tableName: process.env.POWERTOOLS_TABLE ?? '' });

/** The least that the peer can be: one route, no log, no metric. */
export const handler = powertoolsTransfers({ client, dataTable: process.env.DATA_TABLE ?? '' }, layer);
