import { describe, expect, it } from 'vitest';
import { createInOrderSender, type InOrderSender } from '../../lib/client/in-order-sender.ts';
import type { KeyStorage } from '../../lib/client/intent-keys.ts';
import { seededRandom } from '../../lib/simulation/seeded-random.ts';

const RUNS = 400;
const STEPS = 40;

/** A receiver, the way to it and a storage, all of which fail now and then until they are healed. */
class TroubledWorld {
  /** The messages that were applied, by what they are. */
  readonly applied: number[] = [];
  readonly storage: KeyStorage;
  readonly #chance: () => number;
  #items = new Map<string, string>();
  #isHealed = true;

  constructor(chance: () => number) {
    this.#chance = chance;
    this.storage = {
      getItem: (name) => {
        if (this.#strikes(0.02)) throw new Error('not read');
        return this.#items.get(name) ?? null;
      },
      setItem: (name, value) => {
        if (this.#strikes(0.03)) throw new Error('not kept');
        this.#items.set(name, value);
        if (this.#strikes(0.03)) throw new Error('kept, and not said so');
      },
      removeItem: (name) => this.#items.delete(name),
    };
  }

  readonly fetch = async (_: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    if (this.#strikes(0.1)) throw new TypeError('lost on the way');
    if (init === undefined) return Response.json({ appliedUpTo: this.applied.length });
    const { seq, id } = JSON.parse(String(init.body));
    // What the queue behind the receiver loses was taken in all the same.
    if (seq === this.applied.length + 1 && !this.#strikes(0.15)) this.applied.push(id);
    if (this.#strikes(0.1)) throw new TypeError('lost on the way back');
    return new Response(null, { status: 202 });
  };

  /** @returns what puts the storage back to how it is now */
  snapshot(): () => void {
    const kept = new Map(this.#items);
    return () => {
      this.#items = new Map(kept);
    };
  }

  trouble(): void {
    this.#isHealed = false;
  }

  heal(): void {
    this.#isHealed = true;
  }

  #strikes(likely: number): boolean {
    return !this.#isHealed && this.#chance() < likely;
  }
}

/** @returns the messages that must be applied, in the order in which they were given, and those that were */
async function live(
  seed: number,
  putsBack: boolean,
): Promise<readonly [due: readonly number[], applied: readonly number[]]> {
  const chance = seededRandom(seed);
  const world = new TroubledWorld(chance);
  const open = () => createInOrderSender({ url: '/senders/till-7', storage: world.storage, fetch: world.fetch });
  const senders = [open(), open()];
  // A storage of before the receiver was asked at all could not tell what it has.
  if (putsBack) await open().resume();
  world.trouble();
  /** Those that were kept at least once. */
  const kept: number[] = [];
  let restore = world.snapshot();
  let safe = 0;
  for (let step = 0; step < STEPS; step += 1) {
    // Put back to what the one left before the other went on, a storage would look untouched to the one.
    const which = putsBack || chance() < 0.8 ? 0 : 1;
    const sender = senders[which] as InOrderSender;
    const dice = chance();
    if (dice < 0.6) await give(sender, step, kept);
    else if (dice < 0.8) await sender.resume().catch(() => {});
    else if (dice < 0.9) senders[which] = open();
    else if (putsBack && dice < 0.95) [restore, safe] = [world.snapshot(), kept.length];
    else if (putsBack) {
      restore();
      // What was given since is lost, unless it was applied.
      kept.splice(safe, kept.length, ...kept.slice(safe).filter((id) => world.applied.includes(id)));
      // What is given before the receiver can be asked would be lost with the sender.
      world.heal();
      await give(sender, step, kept);
      world.trouble();
    }
  }
  world.heal();
  // The one that has been through it has to recover, and not only one that begins anew.
  const [last] = senders as [InOrderSender];
  await last.send({ id: STEPS });
  kept.push(STEPS);
  for (let looks = 0; looks < 5; looks += 1) await last.resume();
  return [kept, world.applied];
}

/** What rejects without an outcome may have been kept or not: then nothing is due. */
async function give(sender: InOrderSender, id: number, kept: number[]): Promise<void> {
  const error = await sender.send({ id }).then(
    () => undefined,
    (thrown: { readonly outcome?: string }) => thrown,
  );
  if (error === undefined || error.outcome === 'unknown') kept.push(id);
}

describe('R41 a sender whose receiver, way, storage and process fail now and then', () => {
  it.each([
    ['', false],
    [', and whose storage is put back to an earlier state', true],
  ])(`has every message applied once and in order${'%s'}`, async (_, putsBack) => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const [due, applied] = await live(seed, putsBack);
      expect(applied, `seed ${seed}`).toEqual(applied.toSorted((one, other) => one - other));
      expect(new Set(applied).size, `seed ${seed}`).toBe(applied.length);
      expect(applied, `seed ${seed}`).toEqual(expect.arrayContaining([...due]));
    }
  });
});
