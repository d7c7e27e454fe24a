/** The remaining time of a project. */
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it } from 'vitest';
import { createTimeLeft } from '../../../main/jobs/project/time-left.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { estimate, reportSamples, workOf } from '../../../shared/phases/estimate.js';
import { planOf } from '../../../shared/costs/phases.js';
import { flopsOf, guessedSpeed, secondsOf } from '../../../shared/costs/work.js';
import type { JobEvent, PhaseName } from '../../../shared/phases/events.js';

const config = projectConfigSchema.parse({
  ...{ block_size: 16, n_embd: 16, n_layer: 1, n_head: 1, batch_size: 4, max_iters: 100, eval_iters: 1 },
  ...{ reward_max_iters: 50, grpo_max_steps: 20, max_cycles: 2 },
});
const plan = planOf(config, 65, 400);

function project(of = plan) {
  let [milliseconds, cycles] = [0, of.config.max_cycles];
  const withEstimate = createTimeLeft(
    of,
    () => cycles,
    () => milliseconds,
  );
  return {
    extend: (more: number) => (cycles += more),
    phase: (phase: PhaseName, state: 'started' | 'finished', cycle: number) =>
      withEstimate({ event: 'phase', phase, state, cycle, message: verbatim('') }),
    /** Advances the clock and reports progress. */
    after(seconds: number, phase: PhaseName, done: number, total: number, rate: number | null) {
      milliseconds += 1000 * seconds;
      const seconds_left = rate === null ? null : (total - done) / rate;
      const event: JobEvent = { event: 'progress', phase, done, total, unit: 'steps', rate, seconds_left };
      const given = withEstimate(event);
      return given.event === 'progress' ? given.project_seconds_left : undefined;
    },
  };
}

describe('the remaining time of a project', () => {
  it('is unknown before anything is measured', () => {
    const { phase, after } = project();
    phase('base_training', 'started', 0);
    expect(after(1, 'base_training', 1, 100, null)).toBeNull();
    expect(after(1, 'evaluation', 1, 10, 5)).toBeNull();
  });

  it('equals the estimate before the start if the machine has the speed that was assumed', () => {
    const judged = planOf({ ...config, judge_passages: 8, reward_kind: 'critic', max_cycles: 1 }, 65, 400);
    const speed = guessedSpeed(1e9);
    const machine = { speed, memoryAvailable: 1, diskFree: 1 };
    const { total } = estimate({ config: judged.config, vocabSize: 65, tokens: 400, ...machine }).seconds;
    const base = workOf(judged, 'base_training', 0);
    const [before, steps] = [secondsOf(base.before, speed) ?? NaN, secondsOf(base.steps, speed) ?? NaN];
    const { phase, after } = project(judged);
    phase('base_training', 'started', 0);
    expect(after(before + 0.2 * steps, 'base_training', 20, 100, 100 / steps)).toBeCloseTo(
      (total ?? NaN) - before - 0.2 * steps,
      6,
    );
  });

  it('counts down by the clock if a phase has several parts with progress of their own', () => {
    const judged = planOf({ ...config, judge_passages: 8, max_cycles: 0 }, 65, 400);
    const { phase, after } = project(judged);
    phase('base_training', 'started', 0);
    after(0, 'base_training', 1, 100, null);
    after(9, 'base_training', 99, 100, 10);
    phase('base_training', 'finished', 0);
    phase('evaluation', 'started', 0);
    const first = after(0, 'evaluation', 1, 16, null) ?? NaN;
    expect(first).toBeGreaterThan(1);
    expect(after(1, 'evaluation', 2, 16, null)).toBeCloseTo(first - 1, 6);
    // Only the samples of the report are left.
    expect(after(1e6, 'evaluation', 3, 16, null)).toBeLessThan(1);
  });

  it('assumes that a phase takes as long as in the previous cycle', () => {
    const { phase, after, extend } = project();
    phase('base_training', 'started', 0);
    after(0, 'base_training', 1, 100, null);
    after(99, 'base_training', 99, 100, 1);
    phase('base_training', 'finished', 0);
    for (const [name, seconds] of [
      ['reward_data', 30],
      ['reward_model', 5],
      ['grpo', 60],
    ] as const) {
      phase(name, 'started', 1);
      after(0, name, 0, 100, null);
      after(seconds, name, 100, 100, 100 / seconds);
      phase(name, 'finished', 1);
    }
    phase('reward_data', 'started', 2);
    const samples = (30 * flopsOf(reportSamples(plan))) / flopsOf(workOf(plan, 'reward_data', 2).steps);
    expect(after(0, 'reward_data', 0, 100, 100 / 30)).toBeCloseTo(95 + samples, 6);
    expect(after(15, 'reward_data', 50, 100, 100 / 30)).toBeCloseTo(80 + samples, 6);
    // An evaluation within a phase belongs to that phase.
    expect(after(1, 'evaluation', 1, 10, 5)).toBeCloseTo(79 + samples, 6);
    extend(1);
    expect(after(0, 'reward_data', 50, 100, 100 / 30)).toBeCloseTo(175 + 2 * samples, 6);
  });

  it('does not take the rest of a resumed phase for the whole of it', () => {
    const { phase, after } = project();
    phase('reward_data', 'started', 1);
    after(0, 'reward_data', 90, 100, null);
    after(9, 'reward_data', 99, 100, 1);
    phase('reward_data', 'finished', 1);
    phase('reward_model', 'started', 1);
    // The second cycle writes all of its data: 100 seconds.
    expect(after(0, 'reward_model', 0, 100, null)).toBeGreaterThan(100);
  });

  it('uses the steps that `train_minutes` comes to', () => {
    const { phase, after } = project();
    phase('base_training', 'started', 0);
    const short = after(5, 'base_training', 50, 100, 10) ?? NaN;
    const long = after(0, 'base_training', 50, 1000, 10) ?? NaN;
    expect(long - short).toBeGreaterThan(89);
  });
});
