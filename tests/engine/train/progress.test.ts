/** How long a phase still takes: right soon after it began, and not led astray by what happens once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../main/engine/train/progress.js';
import type { Environment } from '../../../main/engine/types.js';
import type { JobEvent } from '../../../shared/events.js';

type ProgressEvent = Extract<JobEvent, { event: 'progress' }>;

/** What is told of `waits.length` steps of so many milliseconds each, the first of which ends the first wait. */
function told(waits: readonly number[], total: number): ProgressEvent[] {
  const events: ProgressEvent[] = [];
  let now = 1e6;
  const env = {
    now: () => now,
    emit(event: JobEvent) {
      if (event.event === 'progress') events.push(event);
    },
  } as Environment;
  const progress = createProgress(env, 'base_training', 'steps', total);
  waits.forEach((wait, at) => {
    now += wait;
    progress.update(at + 1);
  });
  return events;
}

describe('progress', () => {
  it('an evaluation that compiles does not change how long it takes', () => {
    const waits = Array.from({ length: 1000 }, (_, step) => (step === 0 ? 9000 : step === 100 ? 5000 : 10));
    for (const { done, seconds_left } of told(waits, 1000).slice(1)) {
      expect(seconds_left).toBeCloseTo((1000 - done) * 0.01, 6);
    }
  });

  it('evaluations that come again and again are counted', () => {
    const waits = Array.from({ length: 1000 }, (_, step) => (step % 100 === 99 ? 1000 : 10));
    const half = told(waits, 1000).find(({ done }) => done >= 500);
    // 495 steps and five evaluations are left, of which one in five was taken for what happens once.
    expect(half?.seconds_left).toBeGreaterThan(8);
    expect(half?.seconds_left).toBeLessThan(10);
  });

  it('with two updates the one wait between them counts', () => {
    const [first, second] = told([300, 300], 10);
    expect(first).toMatchObject({ rate: null, seconds_left: null });
    expect(second?.seconds_left).toBeCloseTo(2.4, 6);
  });

  it('is a number that is not negative, from the second update on, whatever the waits are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 60 }), (waits) => {
        const passed = waits.slice(1).reduce((sum, wait) => sum + wait, 0);
        const end = told(waits, waits.length).at(-1);
        expect(end?.done).toBe(waits.length);
        expect(end?.seconds_left ?? null).toBe(passed > 0 ? 0 : null);
      }),
    );
  });
});
