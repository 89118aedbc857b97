import { leaseUntil } from '../protocol/lease.ts';
import type { Effect } from '../protocol/plan.ts';
import type { IdempotencyRecord, InProgressRecord } from '../protocol/record.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { ifHeldBy } from '../store/record-condition.ts';
import { type ReleaseOutcome, releaseRecord } from '../store/release-record.ts';
import type { Setback } from '../store/setback.ts';
import { writeRecord } from '../store/write-record.ts';
import type { Engine } from './engine.ts';
import { persist } from './persist.ts';

/** Written under the fence, or lost to whoever owns the record now, or refused by one effect's condition. */
export type HeldWrite =
  | { readonly kind: 'written' }
  | { readonly kind: 'lost'; readonly record: IdempotencyRecord | undefined }
  | { readonly kind: 'effect-refused'; readonly index: number };

/** Thrown into a handler that goes on after another attempt has taken over: it must not do anything more. */
export class LeaseLost extends Error {
  readonly record: IdempotencyRecord | undefined;

  constructor(record: IdempotencyRecord | undefined) {
    super('Another attempt has taken this operation over.');
    this.name = 'LeaseLost';
    this.record = record;
  }
}

/**
 * A record that this attempt owns. Every write is conditional on still owning it, so an attempt that slept past its
 * lease commits nothing.
 *
 * @rule R12
 */
export class HeldRecord {
  readonly #engine: Engine;
  readonly #deadline: Milliseconds;
  #record: InProgressRecord;

  constructor(engine: Engine, record: InProgressRecord, deadline: Milliseconds) {
    this.#engine = engine;
    this.#record = record;
    this.#deadline = deadline;
  }

  get record(): InProgressRecord {
    return this.#record;
  }

  /** Writes the next state of the record, with effects where it has any, in one call. */
  async write(next: IdempotencyRecord, effects: readonly Effect[] = []): Promise<HeldWrite> {
    const { store, surroundings } = this.#engine;
    const fence = ifHeldBy(this.#record.ownerToken);
    const outcome = await persist(surroundings, this.#deadline, (signal) =>
      writeRecord(store, next, fence, effects, signal),
    );
    switch (outcome.kind) {
      case 'met':
        return { kind: 'lost', record: outcome.record };
      case 'effect-refused':
        return { kind: 'effect-refused', index: outcome.index };
      case 'written':
        if (next.status === 'in_progress') this.#record = next;
        return { kind: 'written' };
    }
  }

  /**
   * Commits a phase; a takeover starts after it.
   *
   * @throws LeaseLost when another attempt owns the record by now
   * @throws Error when an effect's condition fails: it belonged into `reserve`
   */
  async checkpoint(name: string, data: unknown, effects: readonly Effect[]): Promise<void> {
    const { recoveryData: _, ...record } = this.#record;
    const kept = data === undefined ? {} : { recoveryData: JSON.stringify(data) };
    await this.#writeOrThrow({ ...record, ...kept, recoveryPoint: name }, effects);
  }

  /** Moves the end of the lease. @throws LeaseLost when another attempt owns the record by now */
  async extend(remaining: Milliseconds): Promise<void> {
    await this.#writeOrThrow({ ...this.#record, leaseUntil: leaseUntil(this.#engine.surroundings.now(), remaining) });
  }

  /** Ends the lease early, so that the next attempt need not wait for it. */
  lapse(rest: Milliseconds, unknowns = this.#record.unknowns): Promise<HeldWrite> {
    const end = milliseconds(this.#engine.surroundings.now() + rest);
    return this.write({ ...this.#record, unknowns, leaseUntil: end });
  }

  /** Frees the key (R14). */
  release(): Promise<Exclude<ReleaseOutcome, Setback>> {
    const { store, surroundings } = this.#engine;
    const { pk, ownerToken } = this.#record;
    return persist(surroundings, this.#deadline, (signal) => releaseRecord(store, pk, ownerToken, signal));
  }

  async #writeOrThrow(next: InProgressRecord, effects: readonly Effect[] = []): Promise<void> {
    const outcome = await this.write(next, effects);
    if (outcome.kind === 'lost') throw new LeaseLost(outcome.record);
    if (outcome.kind === 'effect-refused') {
      throw new Error(
        `The condition of effect ${outcome.index} failed at a checkpoint: conditions belong into reserve.`,
      );
    }
  }
}
