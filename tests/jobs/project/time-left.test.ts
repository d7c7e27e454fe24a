/** The time that is left for a whole project: unknown at first, then learned from what was seen, and never below what is certain. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../../shared/config/index.js';
import type { JobEvent, PhaseName } from '../../../shared/events.js';
import { phaseTokens } from '../../../main/engine/cycle/phase-costs.js';
import { createTimeLeft } from '../../../main/jobs/project/time-left.js';

const config = projectConfigSchema.parse({
  ...{ block_size: 16, n_embd: 16, n_layer: 1, n_head: 1, batch_size: 4, max_iters: 100, eval_iters: 1 },
  ...{ reward_max_iters: 50, grpo_max_steps: 20, max_cycles: 2 },
});
const samples = 200;

function project() {
  let [milliseconds, cycles] = [0, config.max_cycles];
  const told = createTimeLeft({ config, samples, maxCycles: () => cycles, now: () => milliseconds });
  const left = (event: JobEvent) => (event.event === 'progress' ? event.project_seconds_left : undefined);
  return {
    extend: (more: number) => (cycles += more),
    phase: (phase: PhaseName, state: 'started' | 'finished', cycle: number) =>
      told({ event: 'phase', phase, state, cycle, message: '' }),
    /** So many seconds later, `done` of `total` units. */
    after(seconds: number, phase: PhaseName, done: number, total: number, rate: number | null) {
      milliseconds += 1000 * seconds;
      const seconds_left = rate === null ? null : (total - done) / rate;
      return left(told({ event: 'progress', phase, done, total, unit: 'steps', rate, seconds_left }));
    },
  };
}

describe('the time left for a project', () => {
  it('is not told before anything was measured', () => {
    const { phase, after } = project();
    phase('base_training', 'started', 0);
    expect(after(1, 'base_training', 1, 100, null)).toBeNull();
    expect(after(1, 'evaluation', 1, 10, 5)).toBeNull();
  });

  it('is the rest of the phase, and what the others cost at the pace that was seen', () => {
    const { phase, after } = project();
    phase('base_training', 'started', 0);
    after(1, 'base_training', 1, 100, null);
    const tokens = phaseTokens(config, samples);
    const cost = (of: PhaseName) => {
      const { trained, read, written } = tokens[of as keyof typeof tokens];
      return 3 * trained + read + 2 * written;
    };
    const cycle = cost('reward_data') + cost('reward_model') + cost('grpo');
    // 100 steps at 2 a second are 50 seconds.
    expect(after(10, 'base_training', 20, 100, 2)).toBeCloseTo(40 + (2 * 50 * cycle) / cost('base_training'), 6);
  });

  it('takes what a phase took in the cycle before for what it takes in the next', () => {
    const { phase, after, extend } = project();
    phase('base_training', 'started', 0);
    after(0, 'base_training', 1, 100, null);
    after(99, 'base_training', 100, 100, 1);
    phase('base_training', 'finished', 0);
    for (const [name, seconds] of [
      ['reward_data', 30],
      ['reward_model', 5],
      ['grpo', 60],
    ] as const) {
      phase(name, 'started', 1);
      after(0, name, 1, 100, null);
      after(seconds, name, 100, 100, 100 / seconds);
      phase(name, 'finished', 1);
    }
    phase('reward_data', 'started', 2);
    expect(after(0, 'reward_data', 0, 100, null)).toBeCloseTo(95, 6);
    expect(after(15, 'reward_data', 50, 100, 100 / 30)).toBeCloseTo(80, 6);
    // An evaluation within a phase repeats what was told last.
    expect(after(1, 'evaluation', 1, 10, 5)).toBeCloseTo(80, 6);
    extend(1);
    expect(after(0, 'reward_data', 50, 100, 100 / 30)).toBeCloseTo(175, 6);
    phase('reward_data', 'finished', 2);
    phase('reward_model', 'started', 2);
    after(0, 'reward_model', 100, 100, 20);
    phase('reward_model', 'finished', 2);
    phase('grpo', 'started', 2);
    extend(-1);
    expect(after(0, 'grpo', 100, 100, 100 / 60)).toBeCloseTo(0, 6);
  });

  it('does not take the rest of a phase that went on from a checkpoint for the whole of it', () => {
    const { phase, after } = project();
    phase('grpo', 'started', 1);
    after(0, 'grpo', 90, 100, null);
    after(10, 'grpo', 100, 100, 1);
    phase('grpo', 'finished', 1);
    phase('grpo', 'started', 2);
    expect(after(0, 'grpo', 0, 100, null)).toBeCloseTo(100, 6);
  });
});
