/** How long a phase still takes: right soon after it began, and not led astray by what happens once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../main/engine/train/progress.js';
import type { Environment } from '../../../main/engine/types.js';
import type { JobEvent } from '../../../shared/phases/events.js';

type ProgressEvent = Extract<JobEvent, { event: 'progress' }>;

function createClock() {
  const events: ProgressEvent[] = [];
  let now = 1e6;
  const env = {
    now: () => now,
    emit(event: JobEvent) {
      if (event.event === 'progress') events.push(event);
    },
  } as Environment;
  return { events, env, wait: (milliseconds: number) => (now += milliseconds) };
}

/** Returns the events of steps that take so many milliseconds each. */
function progressOf(waits: readonly number[], total: number): ProgressEvent[] {
  const clock = createClock();
  const progress = createProgress(clock.env, 'base_training', 'steps', total);
  waits.forEach((wait, at) => {
    clock.wait(wait);
    progress.update(at + 1);
  });
  return clock.events;
}

describe('progress', () => {
  it('an evaluation that compiles does not change how long it takes', () => {
    const waits = Array.from({ length: 1000 }, (_, step) => (step === 0 ? 9000 : step === 100 ? 5000 : 10));
    for (const { done, seconds_left } of progressOf(waits, 1000).slice(1)) {
      expect(seconds_left).toBeCloseTo((1000 - done) * 0.01, 6);
    }
  });

  it('evaluations are counted apart from the steps: neither they nor those to come change the rate', async () => {
    const clock = createClock();
    const left = (done: number) => Math.floor((1000 - done) / 100);
    const progress = createProgress(clock.env, 'base_training', 'steps', 1000, left);
    for (let step = 1; step <= 1000; step++) {
      clock.wait(10);
      if (step % 100 === 0) await progress.aside(async () => clock.wait(step === 100 ? 5000 : 1000));
      progress.update(step);
    }
    for (const { done, rate, seconds_left } of clock.events.slice(1)) {
      expect(rate).toBeCloseTo(100, 6);
      const evaluation = done < 100 ? 0 : done < 200 ? 5 : 1;
      expect(seconds_left).toBeCloseTo((1000 - done) * 0.01 + left(done) * evaluation, 6);
    }
  });

  it('units that were there already make no rate', () => {
    // One in 0.4 s, and one that took 2 ms.
    const [, second, third] = progressOf([0, 400, 2], 3);
    expect(second?.rate).toBeCloseTo(2.5, 6);
    expect(third?.rate).toBeCloseTo(2 / 0.402, 6);
  });

  it('the time of what failed is no step’s either', async () => {
    const clock = createClock();
    const progress = createProgress(clock.env, 'base_training', 'steps', 4);
    progress.update(1);
    const failing = progress.aside(async () => {
      clock.wait(5000);
      throw new Error('stopped');
    });
    await expect(failing).rejects.toThrow('stopped');
    clock.wait(300);
    progress.update(2);
    expect(clock.events.at(-1)?.seconds_left).toBeCloseTo(0.6, 6);
  });

  it('follows a machine that got something else to do', () => {
    const waits = Array.from({ length: 600 }, (_, step) => (step < 300 ? 250 : 1000));
    const { seconds_left } = progressOf(waits, 1000).find(({ done }) => done === 400) ?? {};
    expect(seconds_left).toBeCloseTo(600, 0);
  });

  it('with two updates the one wait between them counts', () => {
    const [first, second] = progressOf([300, 300], 10);
    expect(first).toMatchObject({ rate: null, seconds_left: null });
    expect(second?.seconds_left).toBeCloseTo(2.4, 6);
  });

  it('is a number that is not negative, from the second update on, whatever the waits are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2, maxLength: 60 }), (waits) => {
        const passed = waits.slice(1).reduce((sum, wait) => sum + wait, 0);
        const end = progressOf(waits, waits.length).at(-1);
        expect(end?.done).toBe(waits.length);
        expect(end?.seconds_left ?? null).toBe(passed > 0 ? 0 : null);
      }),
    );
  });
});
