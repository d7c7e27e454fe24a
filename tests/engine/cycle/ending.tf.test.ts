/** Whether there is another cycle, by each of the rules that a person can choose. */
import { describe, expect, it } from 'vitest';
import { projectConfigSchema } from '../../../shared/config/index.js';
import type { StopRule } from '../../../shared/config/cycle.js';
import type { ProjectStop } from '../../../shared/judging.js';
import { reportSchema, type LossChange } from '../../../shared/reports/report.js';
import { endingAfter } from '../../../main/engine/cycle/ending.js';

const config = (stop_when: StopRule, more = {}) => projectConfigSchema.parse({ stop_when, max_cycles: 3, ...more });
const interval = (low: number, high: number) => ({ low, high });
interface Made {
  readonly perplexity?: number;
  readonly change?: LossChange | null;
  readonly reward?: readonly [before: readonly [number, number], after: readonly [number, number]];
}
const report = (cycle: number, { perplexity = 9 - cycle, change = null, reward }: Made = {}) =>
  reportSchema.parse({
    ...{ cycle, name: `base_model_v${cycle + 1}`, val_loss: Math.log(perplexity), perplexity, samples: [] },
    loss_change: cycle === 0 ? null : { previous: change, base: null },
    grpo: reward
      ? { reward_first_interval: interval(...reward[0]), reward_last_interval: interval(...reward[1]) }
      : null,
  });
const noVotes = (): ProjectStop => {
  throw new Error('votes do not decide here');
};
const another = { verdict: 'another' };
const end = (because: string) => ({ verdict: 'end', because });

describe('another cycle', () => {
  it.each(['cycles', 'perplexity', 'reward', 'people'] as const)('comes after base training, by %s', (rule) => {
    expect(endingAfter([report(0)], config(rule), noVotes)).toEqual(another);
  });

  it.each(['cycles', 'perplexity', 'reward', 'people'] as const)('is never one too many, by %s', (rule) => {
    const reports = [0, 1, 2, 3].map((cycle) => report(cycle));
    expect(endingAfter(reports, config(rule), noVotes)).toEqual(end('max_cycles'));
  });

  it('by cycles, comes until perplexity has not fallen for as many as the patience', () => {
    const patient = config('cycles', { cycle_patience: 2, max_cycles: 9 });
    const fallen = [9, 8, 8.1].map((perplexity, cycle) => report(cycle, { perplexity }));
    expect(endingAfter(fallen, patient, noVotes)).toEqual(another);
    expect(endingAfter([...fallen, report(3, { perplexity: 8.2 })], patient, noVotes)).toEqual(end('perplexity'));
  });

  it.each([
    ['fallen by more than chance', { change: { mean: -0.02, interval: interval(-0.03, -0.01) } }, another],
    ['fallen within chance', { change: { mean: -0.02, interval: interval(-0.05, 0.01) } }, end('perplexity')],
    ['risen', { change: { mean: 0.02, interval: interval(0.01, 0.03) } }, end('perplexity')],
    ['fallen, of a text too short to measure chance', { change: { mean: -0.02, interval: null } }, another],
    ['lower, in reports of an earlier version', { perplexity: 8 }, another],
    ['higher, in reports of an earlier version', { perplexity: 10 }, end('perplexity')],
  ])('by perplexity: %s', (_, made, expected) => {
    expect(endingAfter([report(0), report(1, made)], config('perplexity'), noVotes)).toEqual(expected);
  });

  it.each([
    [
      'risen by more than chance',
      [
        [0.2, 0.3],
        [0.31, 0.4],
      ] as const,
      another,
    ],
    [
      'risen within chance',
      [
        [0.2, 0.3],
        [0.29, 0.4],
      ] as const,
      end('reward'),
    ],
    [
      'fallen',
      [
        [0.31, 0.4],
        [0.2, 0.3],
      ] as const,
      end('reward'),
    ],
  ])('by reward: %s', (_, reward, expected) => {
    expect(endingAfter([report(0), report(1, { reward })], config('reward'), noVotes)).toEqual(expected);
  });

  it('by people: comes when they find the newest better, waits for them, and ends when they do not', () => {
    const compared: string[][] = [];
    const endingBy = (stop: ProjectStop) =>
      endingAfter([report(0), report(1)], config('people'), (...names) => {
        compared.push(names);
        return stop;
      });
    expect(endingBy({ verdict: 'better' })).toEqual(another);
    expect(endingBy({ verdict: 'not_better', because: 'worse' })).toEqual(end('people'));
    expect(endingBy({ verdict: 'waiting', votes_left: 31 })).toEqual({
      ...{ verdict: 'wait', newest: 'base_model_v2', previous: 'base_model_v1', votes: 31 },
    });
    expect(new Set(compared.map((names) => names.join()))).toEqual(new Set(['base_model_v2,base_model_v1']));
  });
});
