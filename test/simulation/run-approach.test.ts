import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROACHES } from '../../lib/simulation/approaches.ts';
import { bloomFilter } from '../../lib/simulation/bloom-filter.ts';
import { highWaterMark } from '../../lib/simulation/high-water-mark.ts';
import { idSet } from '../../lib/simulation/id-set.ts';
import { noDedupe } from '../../lib/simulation/no-dedupe.ts';
import { runApproach, type SimulationSettings } from '../../lib/simulation/run-approach.ts';
import { semelMarker } from '../../lib/simulation/semel-marker.ts';
import { semelSequence } from '../../lib/simulation/semel-sequence.ts';

const QUIET: SimulationSettings = {
  drop: 0,
  duplicate: 0,
  reorder: 0,
  crash: 0,
  messages: 500,
  senders: 5,
  seed: 7,
};
const BAD: SimulationSettings = { ...QUIET, drop: 0.3, duplicate: 0.3, reorder: 0.2, crash: 0.02, messages: 2_000 };

const chance = fc.double({ min: 0, max: 0.9, noNaN: true });
const anySettings: fc.Arbitrary<SimulationSettings> = fc.record({
  drop: chance,
  duplicate: chance,
  reorder: chance,
  crash: chance,
  messages: fc.integer({ min: 1, max: 60 }),
  senders: fc.integer({ min: 1, max: 4 }),
  seed: fc.nat(),
});

describe('over a bad way', () => {
  it.each([
    ['R25', semelMarker],
    ['R29', semelSequence],
  ])('%s Semel applies each message once, whatever happens', (_, approach) => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const { applied, lost, doubled } = runApproach(approach, settings);
        expect({ applied, lost, doubled }).toEqual({ applied: settings.messages, lost: 0, doubled: 0 });
      }),
      { numRuns: 150 },
    );
  });

  it('no dedupe doubles what is delivered twice', () => {
    const { lost, doubled, deliveries } = runApproach(noDedupe, { ...BAD, crash: 0 });
    expect(lost).toBe(0);
    expect(doubled).toBe(deliveries - BAD.messages);
    expect(doubled).toBeGreaterThan(BAD.messages / 2);
  });

  it('an id set doubles only what it died over', () => {
    expect(runApproach(idSet, { ...BAD, crash: 0 })).toMatchObject({ lost: 0, doubled: 0 });
    expect(runApproach(idSet, BAD).doubled).toBeGreaterThan(0);
  });

  it('a high-water mark loses what comes late', () => {
    expect(runApproach(highWaterMark, { ...BAD, crash: 0 }).lost).toBeGreaterThan(0);
    expect(runApproach(highWaterMark, { ...QUIET, reorder: 0.2 }).lost).toBeGreaterThan(0);
    expect(runApproach(highWaterMark, { ...QUIET, duplicate: 0.5 })).toMatchObject({ lost: 0, doubled: 0 });
  });

  it('a Bloom filter loses what it wrongly knows', () => {
    const { lost, applied } = runApproach(bloomFilter, { ...BAD, crash: 0 });
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(BAD.messages * 0.02);
    expect(applied + lost).toBe(BAD.messages);
  });

  it('what is kept grows with the messages, or with the senders', () => {
    const kept = APPROACHES.map((approach) => runApproach(approach, BAD).memory);
    const [none = 0, ids = 0, marks = 0, bloom = 0, markers = 0, sequences = 0] = kept;
    expect(none).toBe(0);
    expect(ids).toBeGreaterThan(30 * BAD.messages);
    expect(markers).toBeGreaterThan(100 * BAD.messages);
    expect(bloom).toBeLessThan(2 * BAD.messages);
    expect(marks).toBeLessThan(20 * BAD.senders);
    expect(sequences).toBeLessThan(200 * BAD.senders);
  });
});

describe('a run', () => {
  it('over a good way is exact for everybody', () => {
    for (const approach of APPROACHES.filter((each) => each !== bloomFilter)) {
      const { applied, lost, doubled, deliveries } = runApproach(approach, QUIET);
      expect([applied, lost, doubled, deliveries]).toEqual([500, 0, 0, 500]);
    }
  });

  it('is the same for the same seed', () => {
    for (const approach of APPROACHES) expect(runApproach(approach, BAD)).toEqual(runApproach(approach, BAD));
    expect(runApproach(noDedupe, { ...BAD, seed: 8 })).not.toEqual(runApproach(noDedupe, BAD));
  });

  it('tells how far it is', () => {
    const told: number[] = [];
    runApproach(semelMarker, BAD, (acknowledged) => told.push(acknowledged));
    expect(told).toEqual(Array.from({ length: BAD.messages }, (_, index) => index + 1));
  });
});
