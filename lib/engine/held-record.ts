import { leaseUntil, mayRelease } from '../protocol/lease.ts';
import type { Effect } from '../protocol/plan.ts';
import { SemelError } from '../protocol/problems.ts';
import type { CompletedRecord, IdempotencyRecord, InProgressRecord, NeedsAttentionRecord } from '../protocol/record.ts';
import { type Milliseconds, milliseconds } from '../protocol/time.ts';
import { UnknownOutcome } from '../protocol/unknown-outcome.ts';
import { ifHeldBy } from '../store/record-condition.ts';
import { type ReleaseOutcome, releaseRecord } from '../store/release-record.ts';
import type { Setback } from '../store/setback.ts';
import { writeRecord } from '../store/write-record.ts';
import type { Engine } from './engine.ts';
import { attentionRecord } from './new-record.ts';
import { isOwnCompletion } from './own-completion.ts';
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
 * lease commits nothing. Writes go one after the other, since each starts from what the one before it left.
 *
 * @rule R12
 */
export class HeldRecord {
  readonly #engine: Engine;
  readonly #deadline: Milliseconds;
  #record: InProgressRecord;
  #last: Promise<unknown> = Promise.resolve();
  /** Why a checkpoint went unanswered: whether it was committed is only known to who reads the record next. */
  #doubt: SemelError | undefined;

  constructor(engine: Engine, record: InProgressRecord, deadline: Milliseconds) {
    this.#engine = engine;
    this.#record = record;
    this.#deadline = deadline;
  }

  get record(): InProgressRecord {
    return this.#record;
  }

  /** May the key be freed (R14)? Never when a phase may have been committed. */
  get mayRelease(): boolean {
    return this.#doubt === undefined && mayRelease(this.#record);
  }

  /**
   * Completes the record, with effects where there are any, in one call. A write that was sent again and meets what it
   * wrote is written; one that meets another reply, of this owner too, is lost.
   *
   * @rule R10
   */
  complete(completed: CompletedRecord, effects: readonly Effect[] = []): Promise<HeldWrite> {
    return this.#inTurn(async () => {
      const outcome = await this.#write(completed, effects);
      return outcome.kind === 'lost' && isOwnCompletion(outcome.record, completed) ? { kind: 'written' } : outcome;
    });
  }

  /** Hands the record to a person. @throws SemelError when it is in doubt how far the operation came */
  escalate(reason: string): Promise<HeldWrite> {
    return this.#inTurn(() => this.#change((record) => attentionRecord(record, reason)));
  }

  /**
   * Commits a phase; a takeover starts after it.
   *
   * @throws LeaseLost when another attempt owns the record by now
   * @throws Error when an effect's condition fails: it belonged into `reserve`
   */
  checkpoint(name: string, data: unknown, effects: readonly Effect[]): Promise<void> {
    const kept = data === undefined ? {} : { recoveryData: JSON.stringify(data) };
    const next = ({ recoveryData: _, ...record }: InProgressRecord) => ({ ...record, ...kept, recoveryPoint: name });
    return this.#inTurn(async () => {
      const outcome = await this.#change(next, effects).catch((thrown: unknown) => {
        if (thrown instanceof SemelError && thrown.code !== 'internal-error') this.#doubt = thrown;
        throw thrown;
      });
      throwUnlessWritten(outcome);
    });
  }

  /** Moves the end of the lease. @throws LeaseLost when another attempt owns the record by now */
  extend(remaining: Milliseconds): Promise<void> {
    const end = () => leaseUntil(this.#engine.surroundings.now(), remaining);
    return this.#inTurn(async () =>
      throwUnlessWritten(await this.#change((record) => ({ ...record, leaseUntil: end() }))),
    );
  }

  /**
   * Ends the lease early, so that the next attempt need not wait for it.
   *
   * @throws SemelError when it is in doubt how far the operation came: then the lease decides
   */
  lapse(rest: Milliseconds, unknowns = this.#record.unknowns): Promise<HeldWrite> {
    const end = () => milliseconds(this.#engine.surroundings.now() + rest);
    return this.#inTurn(() => this.#change((record) => ({ ...record, unknowns, leaseUntil: end() })));
  }

  /** Frees the key (R14). */
  release(): Promise<Exclude<ReleaseOutcome, Setback>> {
    const { store, surroundings } = this.#engine;
    const { pk, ownerToken } = this.#record;
    return this.#inTurn(() =>
      persist(surroundings, this.#deadline, (signal) => releaseRecord(store, pk, ownerToken, signal)),
    );
  }

  #inTurn<Outcome>(run: () => Promise<Outcome>): Promise<Outcome> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** What the record became may not be written over by what is known here, once that is in doubt. */
  async #change(
    next: (record: InProgressRecord) => InProgressRecord | NeedsAttentionRecord,
    effects: readonly Effect[] = [],
  ): Promise<HeldWrite> {
    if (this.#doubt !== undefined) throw this.#doubt;
    const changed = next(this.#record);
    const outcome = await this.#write(changed, effects);
    if (outcome.kind === 'written' && changed.status === 'in_progress') this.#record = changed;
    return outcome;
  }

  async #write(next: IdempotencyRecord, effects: readonly Effect[]): Promise<HeldWrite> {
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
        return { kind: 'written' };
    }
  }
}

function throwUnlessWritten(outcome: HeldWrite): void {
  if (outcome.kind === 'lost') throw new LeaseLost(outcome.record);
  if (outcome.kind === 'effect-refused') {
    throw new UnknownOutcome(
      `The condition of effect ${outcome.index} failed at a checkpoint: conditions belong into reserve.`,
    );
  }
}
