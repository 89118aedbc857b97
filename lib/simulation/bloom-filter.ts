import { ACKNOWLEDGE, type Approach, effectThenMemory } from './consumer.ts';

/** Once it is full, it takes one unknown id in a hundred for known. */
const FALSE_POSITIVES = 0.01;

/**
 * A Bloom filter with room for all the messages: little more than a byte for each, but what it wrongly takes for known
 * is lost.
 *
 * @see https://en.wikipedia.org/wiki/Bloom_filter#Optimal_number_of_hash_functions
 */
export const bloomFilter: Approach = {
  name: 'Bloom filter',
  start(messages) {
    const size = Math.ceil((-messages * Math.log(FALSE_POSITIVES)) / Math.LN2 ** 2);
    const hashes = Math.round((size / messages) * Math.LN2);
    const bits = new Uint8Array(size);
    return {
      receive({ id }) {
        const places = placesOf(id, hashes, size);
        if (places.every((place) => bits[place] === 1)) return ACKNOWLEDGE;
        return effectThenMemory(() => {
          for (const place of places) bits[place] = 1;
        });
      },
      memory: () => Math.ceil(size / 8),
    };
  },
};

/** As many places as it takes, out of two hashes. @see https://www.eecs.harvard.edu/~michaelm/postscripts/rsa2008.pdf */
function placesOf(id: string, hashes: number, size: number): number[] {
  const [first, second] = [fnv1a(id, 0), fnv1a(id, 1)];
  return Array.from({ length: hashes }, (_, index) => (first + index * second) % size);
}

/** FNV-1a, 32 bits, over characters that all are ASCII. @see https://datatracker.ietf.org/doc/draft-eastlake-fnv/ */
function fnv1a(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
