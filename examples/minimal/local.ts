import { apiKeySeed, startLocalCloud } from 'semel/testing';

const port = Number(process.env.PORT ?? 4000);
const seed = apiKeySeed('alice', 'sk_local_alice');
const { url } = await startLocalCloud({ assembly: 'cdk.out', port, seed, log: console.error });
console.log(`Runs at ${url}; alice's API key is sk_local_alice. Ctrl-C stops it.`);
