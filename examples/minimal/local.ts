import { apiKeySeed, startLocalCloud } from 'semel/testing';

const port = Number(process.env.PORT ?? 4000);
const seed = apiKeySeed('alice', 'sk_local_alice');
const cloud = await startLocalCloud({ assembly: 'cdk.out', port, seed, log: console.error });
console.log(`Runs at ${cloud.url}; alice's API key is sk_local_alice. Ctrl-C stops it.`);
const where = `--table ${cloud.tableNames.data} --endpoint ${cloud.dynamodbEndpoint}`;
console.log(`Another caller's key: npx semel keys create --caller bob ${where}`);
