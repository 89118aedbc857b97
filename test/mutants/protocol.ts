import { readProofOptions } from '../setup/proof-options.ts';

const { positionals: files } = readProofOptions({
  command: 'npm run mutants:protocol',
  about: 'Mutates every expression of the protocol, or of the files that are named.',
  options: {},
  positionals: ['file …'],
});
// Takes a while to load, and is of no use to who asks for help.
const { Stryker } = await import('@stryker-mutator/core');
const results = await new Stryker({
  configFile: 'test/mutants/stryker.config.mjs',
  // How many may survive is said of the whole: a small file with one of them would fail.
  ...(files.length > 0 && { mutate: [...files], thresholds: { break: null } }),
}).runMutationTest();

// A mutant that hangs was noticed; one that cannot even be loaded is no mutant.
const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout');
const alive = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
console.log(`${killed.length} killed of ${killed.length + alive.length}`);
