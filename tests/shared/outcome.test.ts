/** A project's outcome from its reports. */
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../shared/judging.js';
import { reportSchema, type CycleReport, type Interval } from '../../shared/reports/report.js';
import { anotherMessage, outcomeMessages, outcomeOf, type Outcome } from '../../shared/reports/outcome.js';
import { inEnglish } from '../support/messages.js';

const interval = (low: number, high: number): Interval => ({ low, high });
interface Made {
  readonly perplexity?: number;
  /** Of the loss in nats per token, from the base model and from the version before: mean and half-width. */
  readonly change?: readonly [mean: number, reach: number];
  readonly reward?: readonly [before: number, after: number, reach: number];
  readonly r2?: Interval;
}
const report = (cycle: number, { perplexity = 8, change, reward, r2 = interval(0.3, 0.5) }: Made = {}): CycleReport => {
  const moved = change && { mean: change[0], interval: interval(change[0] - change[1], change[0] + change[1]) };
  return reportSchema.parse({
    ...{ cycle, name: `base_model_v${cycle + 1}`, val_loss: Math.log(perplexity), perplexity, samples: [] },
    loss_change: moved ? { previous: moved, base: moved } : null,
    reward_model: cycle === 0 ? null : { r2: 0.4, r2_interval: r2 },
    grpo: reward
      ? {
          ...{ reward_first: reward[0], reward_last: reward[1] },
          reward_first_interval: interval(reward[0] - reward[2], reward[0] + reward[2]),
          reward_last_interval: interval(reward[1] - reward[2], reward[1] + reward[2]),
        }
      : null,
  });
};
const found = (...reports: CycleReport[]): Outcome => {
  const outcome = outcomeOf({ reports });
  if (!outcome) throw new Error('nothing came of it');
  return outcome;
};
const words = (outcome: Outcome) =>
  [...outcomeMessages(outcome), anotherMessage(outcome)].map((message) => message && inEnglish(message)).join(' ');

describe('what came of it', () => {
  it('is nothing before base training is over, and one figure after it', () => {
    expect(outcomeOf({ reports: [] })).toBeNull();
    expect(words(found(report(0)))).toBe('On text it has never seen, the base model needs 2.079 nats per token. ');
  });

  it('says what helps most after training: more of it while it helps, then more text', () => {
    const trained = (best_iteration: number) =>
      reportSchema.parse({ ...report(0), base: { iterations: 300, best_iteration, stopped_because: 'max_iters' } });
    const after = (best: number, ended: 'max_cycles' | null) => outcomeOf({ reports: [trained(best)], ended })?.another;
    expect(after(300, 'max_cycles')?.because).toBe('longer');
    expect(after(250, 'max_cycles')?.because).toBe('more_text');
    expect(after(300, null)?.because).toBe('not_started');
  });

  it('says by how much it is better, with the interval, and that nobody knows what training on gives', () => {
    const outcome = found(
      report(0),
      report(1, { perplexity: 7.84, change: [Math.log(0.98), 0.005], reward: [0.2, 0.3, 0.02] }),
    );
    expect(words(outcome)).toBe(
      'On unseen text, the model after cycle 1 predicts better than the base model (2.079 → 2.059 nats per token, 95% interval of the change −0.0252 to −0.0152). ' +
        'In cycle 1 the reward rose by more than chance explains (the reward model finds 20.0% → 30.0% natural). ' +
        'The last cycle helped noticeably. Whether plain training for the same time would have helped more was not measured (set “Control” to measure it).',
    );
    expect(outcome.another).toEqual({ worth: 'unclear', because: 'better_unchecked' });
  });

  it('says what the judge finds with the digits that the figure beside it has', () => {
    const outcome: Outcome = {
      ...found(report(0), report(1)),
      judge: { gain: 0.15623, direction: 'better', before: 3, after: 2.84377 },
    };
    expect(
      outcomeMessages(outcome)
        .map((message) => inEnglish(message))
        .at(-1),
    ).toMatch(/ by 0\.156 nats per token\.$/);
  });

  it('does not praise a cycle where all of them together have not helped', () => {
    const last = report(2, { perplexity: 7.9, change: [-0.01, 0.005], reward: [0.2, 0.2, 0.02] });
    const base = { mean: -0.012, interval: interval(-0.03, 0.006) };
    const { loss_change: moved } = last;
    const outcome = found(report(0), report(1), { ...last, loss_change: moved && { ...moved, base } });
    expect(outcome.another).toEqual({ worth: 'unclear', because: 'not_together' });
  });

  it('compares with the model before training, in nats per character', () => {
    const before = {
      val_loss: 3,
      perplexity: Math.exp(3),
      nats_per_character: 1,
      held_out_parts: { nats: [], tokens: [] },
    };
    const moved = { mean: -0.3, interval: interval(-0.33, -0.27) };
    const made = {
      ...{ cycle: 0, name: 'base_model_v1', val_loss: 2.7, perplexity: Math.exp(2.7), nats_per_character: 0.9 },
      ...{
        samples: [],
        before_training: { ...before, samples: [] },
        loss_change: { previous: null, base: null, before: moved },
      },
    };
    const outcome = found(reportSchema.parse(made));
    expect(outcome.training).toMatchObject({ direction: 'better', unit: 'character' });
    expect(words(outcome)).toBe(
      'On text of yours that it has never seen, the base model is less surprised than before training (1.000 → 0.9000 nats per character, 95% interval of the change −0.110 to −0.0900). ',
    );
  });

  it.each([
    ['text', { perplexity: 7.968, change: [-0.004, 0.001] }],
    ['reward', { reward: [0.2, 0.208, 0.001] }],
  ] as const)('calls no change of the %s an effect that is certain but too small to notice', (_, made) => {
    const outcome = found(report(0), report(1, made));
    expect(words(outcome)).toMatch(/too (little|small).*changed nothing that you would notice/s);
    expect(outcome.another).toEqual({ worth: 'no', because: 'nothing_changed' });
  });

  it('does not call chance a change', () => {
    const outcome = found(report(0), report(1, { perplexity: 7.9, change: [-0.01, 0.02], reward: [0.2, 0.21, 0.02] }));
    expect(words(outcome)).toMatch(
      /neither better nor worse.*did not change by more than chance.*unlikely to be worth/s,
    );
    expect(outcome.another).toEqual({ worth: 'no', because: 'nothing_changed' });
  });

  it.each([
    [
      'the reward rises while the text is predicted worse',
      { change: [0.02, 0.01], reward: [0.2, 0.3, 0.02] },
      'reward_against_text',
    ],
    ['it is worse', { change: [0.02, 0.01], reward: [0.2, 0.2, 0.02] }, 'worse'],
    ['the reward model saw nothing', { reward: [0.2, 0.3, 0.02], r2: interval(-0.1, 0.2) }, 'blind'],
  ] as const)('where %s', (_, made, because) => {
    expect(found(report(0), report(1, made)).another.because).toBe(because);
  });

  it.each([
    ['plain training gives as much', 0.1, 0.3, 'training_better', 0.6],
    ['nothing was gained', -0.05, -0.05, 'no_gain', 0.6],
    ['the writing is less varied', 0.3, 0, 'less_varied', 0.5],
  ] as const)('if %s', (_, cycle, trained, because, after) => {
    const around = (gain: number) => ({ gain, interval: interval(gain - 0.02, gain + 0.02) });
    const control = {
      ...{ judge: 'judge_model_v1', share: 0.5, cycle: around(cycle), lead: around(cycle - trained) },
      trained_on: { ...around(trained), steps: 9, val_loss: 2 },
      variety: { before: 0.6, after },
    };
    const rose = report(1, { reward: [0.2, 0.3, 0.02] });
    // Where cycles gain more than both, there is nothing against another.
    const paid = {
      ...control,
      cycle: around(0.3),
      lead: around(0.25),
      variety: { before: 0.6, after: 0.6 },
      trained_on: { ...around(0.05), steps: 9, val_loss: 2 },
    };
    expect(found(report(0), { ...rose, control: paid }).another).toEqual({ worth: 'yes', because: 'better' });
    const unclear = { ...paid, cycle: { gain: 0.01, interval: interval(-0.03, 0.05) } };
    const { another } = found(report(0), { ...rose, control: unclear });
    expect(another).toEqual({ worth: 'unclear', because: 'better_unclear' });
    expect(found(report(0), { ...rose, control }).another).toEqual({ worth: 'no', because });
  });

  it('goes by people before all else, and by the critic that was caught up with', () => {
    const reports = [report(0), report(1, { reward: [0.2, 0.3, 0.02] })];
    const people: Comparison = {
      ...{
        wins: 2,
        losses: 30,
        ties: 4,
        both_bad: 0,
        hasty: 0,
        e_value: 99,
        decided: 'second' as const,
        decided_at: 36,
        share: 2 / 32,
      },
      ...{ interval: interval(0.01, 0.2), votes_left: null, chance: 1, hopeless: false },
    };
    const outcome = outcomeOf({ reports, people });
    expect(outcome?.another).toEqual({ worth: 'no', because: 'people_not_better' });
    expect(outcome && words(outcome)).toContain(
      'People find the model after cycle 1 worse than the base model, better in only 6% of pairs (36 votes).',
    );
    expect(outcomeOf({ reports, ended: 'critic' })?.another.because).toBe('caught_up');
  });

  it('names the cycles whose reward model was no better than guessing', () => {
    const cycle = (number: number, isBlind: boolean) =>
      report(number, { reward: [0.2, 0.3, 0.02], r2: isBlind ? interval(-0.1, 0.2) : interval(0.3, 0.5) });
    const said = (...blind: readonly boolean[]) =>
      words(found(report(0), ...blind.map((each, i) => cycle(i + 1, each))));
    expect(said(true, false, false)).toContain('In cycle 1 the reward model was no better than guessing.');
    expect(said(true, true, false)).toContain('In cycles 1, 2 the reward model was no better than guessing.');
    expect(said(true, true)).toContain('In no cycle');
  });

  it('says that chance was not measured, of reports of earlier versions', () => {
    expect(words(found(report(0), report(1, { perplexity: 7.5 })))).toContain(
      'how much of that is chance was not measured',
    );
  });
});
