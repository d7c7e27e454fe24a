/** The stopping rule: patience, smallest improvement, both directions, and state that survives JSON. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  initialEarlyStopping,
  updateEarlyStopping,
  type EarlyStoppingRule,
  type EarlyStoppingState,
} from '../../../main/engine/train/early-stopping.js';
import type { Json } from '../../../main/engine/types.js';

/** How many values the rule takes in before it stops, or null. */
function stopsAfter(rule: EarlyStoppingRule, values: readonly number[]): number | null {
  let state: EarlyStoppingState = initialEarlyStopping;
  for (const [index, value] of values.entries()) {
    const update = updateEarlyStopping(rule, state, value);
    if (update.stop) return index + 1;
    state = update.state;
  }
  return null;
}

const lower = (patience: number, minDelta: number): EarlyStoppingRule => ({ patience, minDelta, better: 'lower' });

describe('early stopping', () => {
  it('stops after exactly `patience` evaluations without improvement', () => {
    expect(stopsAfter(lower(3, 0.1), [2, 1.5, 1.45, 1.44, 1.43])).toBe(5);
    expect(stopsAfter(lower(4, 0.1), [2, 1.5, 1.45, 1.44, 1.43])).toBeNull();
    expect(stopsAfter(lower(1, 0), [2, 2])).toBe(2);
  });

  it('a fall of exactly min_delta counts', () => {
    const { state } = updateEarlyStopping(lower(1, 0.001), initialEarlyStopping, 2);
    expect(updateEarlyStopping(lower(1, 0.001), state, 1.999).state.waited).toBe(0);
  });

  it('with min_delta 0 an equal value does not count', () => {
    const first = updateEarlyStopping(lower(2, 0), initialEarlyStopping, 1);
    const second = updateEarlyStopping(lower(2, 0), first.state, 1);
    expect([first.state.waited, second.state.waited, second.isBest]).toEqual([0, 1, false]);
  });

  it('the best value is kept even where it does not count as an improvement', () => {
    const first = updateEarlyStopping(lower(5, 0.1), initialEarlyStopping, 2);
    const second = updateEarlyStopping(lower(5, 0.1), first.state, 1.95);
    expect(second).toEqual({
      state: { reference: 2, best: 1.95, waited: 1 },
      isBest: true,
      stop: false,
    });
  });

  it('higher is better for rewards: the mirror image of lower', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        (values, patience, minDelta) => {
          const higher = { patience, minDelta, better: 'higher' } as const;
          expect(stopsAfter(higher, values)).toBe(
            stopsAfter(
              lower(patience, minDelta),
              values.map((value) => -value),
            ),
          );
        },
      ),
    );
  });

  it('agrees with the sentence of the specification: no fall of min_delta below the reference over the last `patience` evaluations', () => {
    const quarters = fc.integer({ min: 0, max: 40 }).map((n) => n / 4); // exact in binary
    fc.assert(
      fc.property(
        fc.array(quarters, { maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        quarters,
        (values, patience, minDelta) => {
          let reference = Infinity;
          let last = 0;
          let expected: number | null = null;
          for (const [index, value] of values.entries()) {
            if (value < reference && value <= reference - minDelta) {
              reference = value;
              last = index;
            }
            if (reference < Infinity && index - last >= patience) {
              expected = index + 1;
              break;
            }
          }
          expect(stopsAfter(lower(patience, minDelta), values)).toBe(expected);
        },
      ),
    );
  });

  it('values that are not finite never count, and patience runs out', () => {
    expect(stopsAfter(lower(3, 0), [2, Number.NaN, -Infinity, Infinity])).toBe(4);
    expect(stopsAfter(lower(2, 0), [Number.NaN, Number.NaN])).toBe(2);
  });

  it('state survives JSON, so a resumed run decides the same', () => {
    const rule = lower(3, 0.01);
    let direct: EarlyStoppingState = initialEarlyStopping;
    let stored: EarlyStoppingState = initialEarlyStopping;
    for (const value of [3, 2.5, 2.499, Number.NaN, 2.4, 2.4]) {
      const json: Json = stored;
      direct = updateEarlyStopping(rule, direct, value).state;
      stored = updateEarlyStopping(rule, JSON.parse(JSON.stringify(json)) as EarlyStoppingState, value).state;
    }
    expect(stored).toEqual(direct);
  });
});
