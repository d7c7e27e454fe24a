/** Reports, reward data and completions of the demonstration's cycles, in the form the engine keeps them. */
import {
  lossByText,
  type ControlReport,
  type CycleReport,
  type Judgement,
  type JudgementReport,
  type RewardReport,
} from '../../shared/reports/report.js';
import { artefactName } from '../../shared/phases/index.js';
import { naturalPiece, writtenAfter } from './text.js';
import { noise } from './random.js';
import { valueAt } from './series.js';

const calibration = Array.from({ length: 10 }, (_, bin) => {
  const middle = (bin + 0.5) / 10;
  const count = Math.round(520 * Math.exp(-(((middle - 0.5) / 0.22) ** 2)));
  const truth = Math.min(1, Math.max(0, middle + 0.05 * Math.sin(9 * middle)));
  return {
    low: bin / 10,
    high: (bin + 1) / 10,
    count,
    meanPredicted: count === 0 ? null : middle,
    meanTrue: count === 0 ? null : truth,
    trueInterval: count < 2 ? null : { low: truth - 0.5 / Math.sqrt(count), high: truth + 0.5 / Math.sqrt(count) },
  };
});

const prompts = [11, 29, 47].map((seed) => naturalPiece(seed, 16));
const continued = (write: (prompt: string, at: number) => string) =>
  prompts.map((prompt, at) => ({ prompt, completion: write(prompt, at) }));

const around = (mean: number, half: number) => ({ mean, interval: { low: mean - half, high: mean + half } });
const writing = (nats: number, distinct: number, copied: number, known: number): Judgement => ({
  unconditional: around(nats, 0.014),
  prompted: around(nats + 0.03, 0.016),
  distinct_1: 0.04,
  distinct_2: 0.27,
  distinct_3: distinct,
  words_known: known,
  copied_share: copied,
  copied_share_short: 3 * copied,
  longest_repeated_run: 3.1,
  passages: 256,
});

/** The independent judge's scores of the generator after a cycle. */
const judgementOf = (cycle: number): JudgementReport => ({
  judge: 'judge_model_v1',
  generator: writing(
    2.324 - 0.071 * cycle + 0.009 * cycle ** 2,
    0.274 - 0.004 * cycle,
    0.003 * cycle,
    0.83 + 0.02 * cycle,
  ),
  natural: writing(1.639, 0.206, 0.012, 0.974),
  gain: cycle === 0 ? null : { unconditional: 0.071 * cycle, prompted: 0.08 * cycle },
  fresh_discriminator: {
    ...rewardModelOf(cycle, 0.7, 'head'),
    r2: 0.703 - 0.031 * cycle,
    r2_interval: { low: 0.643 - 0.03 * cycle, high: 0.757 - 0.03 * cycle },
  },
});

const rewardModelOf = (cycle: number, r2: number, kind: NonNullable<RewardReport['kind']>): RewardReport => ({
  kind,
  val_mse: 0.0562,
  val_mse_interval: { low: 0.0529, high: 0.0597 },
  val_mae: 0.188,
  val_mae_interval: { low: 0.181, high: 0.195 },
  r2: r2 - 0.03 * cycle,
  r2_interval: { low: r2 - 0.039 - 0.03 * cycle, high: r2 + 0.037 - 0.03 * cycle },
  correlation: 0.581,
  correlation_interval: { low: 0.552, high: 0.609 },
  baseline_mse: 0.0835,
  evidence_scale: kind === 'critic' ? 0.94 : null,
  calibration,
  samples: 2000,
  iterations: 1400,
  best_iteration: 900,
  stopped_because: 'patience',
});

/** Of a text of characters of one byte each, as the demonstration's is. */
const byText = (perplexity: number | null) =>
  perplexity === null
    ? {}
    : { nats_per_character: Math.log(perplexity), bits_per_byte: Math.log(perplexity) / Math.LN2 };

const gain = (value: number) => ({ gain: value, interval: { low: value - 0.014, high: value + 0.014 } });
/** The fifth cycle gains less than plain training, as cycles do whose critic leads by little. */
const control: ControlReport = {
  ...{ judge: 'judge_model_v1', share: 0.5, cycle: gain(0.026), lead: gain(-0.053) },
  trained_on: { ...gain(0.079), steps: 420, val_loss: 1.498 },
  variety: { before: 0.56, after: 0.548 },
};

const change = (mean: number) => around(mean, 0.003);

export const reportOf = (cycle: number, perplexity: number | null): CycleReport => ({
  cycle,
  name: artefactName('base_model', cycle),
  val_loss: perplexity === null ? null : Math.log(perplexity),
  perplexity,
  ...byText(perplexity),
  base:
    cycle > 0
      ? null
      : {
          val_loss: 1.511,
          perplexity: 4.53,
          ...byText(4.53),
          tokens_per_second: 17_840,
          iterations: 2000,
          best_iteration: 1750,
          stopped_because: 'max_iters',
        },
  reward_samples: cycle === 0 ? null : { train: 6000, val: 2000 },
  reward_model: cycle === 0 ? null : rewardModelOf(cycle, 0.311, 'critic'),
  reward_models: cycle === 0 ? {} : { critic: rewardModelOf(cycle, 0.311, 'critic') },
  critic: cycle === 0 ? null : { name: 'critic_model_v1', val_loss: 1.39, lead_nats: 0.261 - 0.02 * cycle },
  judgement: judgementOf(cycle),
  ...(cycle === 5 ? { control } : {}),
  grpo:
    cycle === 0
      ? null
      : {
          reward_first: 0.553,
          reward_last: 0.712,
          reward_first_interval: { low: 0.541, high: 0.565 },
          reward_last_interval: { low: 0.701, high: 0.723 },
          kl: 0.187 * cycle,
          perplexity_before: 4.53,
          perplexity_after: perplexity ?? NaN,
          ...lossByText(byText(4.53), (name) => `${name}_before`),
          ...lossByText(byText(perplexity), (name) => `${name}_after`),
          steps: 100,
          stopped_because: 'max_steps',
        },
  ...(cycle === 0
    ? {
        before_training: {
          ...{ val_loss: Math.log(6.2), perplexity: 6.2, ...byText(6.2), held_out_parts: { nats: [], tokens: [] } },
          samples: continued((prompt, at) => writtenAfter(prompt, 500, at, 0)),
        },
        natural_samples: continued((_, at) => ` ${naturalPiece(500 + at, 120)}`),
      }
    : {}),
  loss_change: {
    previous: cycle === 0 ? null : change(-0.004),
    base: cycle === 0 ? null : change(-0.016 * cycle),
    before: change(Math.log((perplexity ?? 6.2) / 6.2)),
  },
  samples: continued((prompt, at) => writtenAfter(prompt, 500, at + 100 * cycle, 0.86 + 0.03 * cycle)),
});

/** What is written at each of so many evaluations of base training, better from one to the next. */
export const samplesOverTime = (steps: number, every: number) =>
  Array.from({ length: Math.floor(steps / every) + 1 }, (_, at) => ({
    phase: 'base_training' as const,
    step: at * every,
    samples: prompts.slice(0, 3).map((prompt, row) => ({
      prompt,
      completion: writtenAfter(prompt, 160, row, at === 0 ? 0 : 1 - 0.5 / (at + 1)),
    })),
  }));

export function completionsOf(cycle: number, steps: number) {
  return Array.from({ length: steps * 4 }, (_, at) => {
    const step = Math.floor(at / 4) + 1;
    const source = noise(at + 997 * cycle);
    const prompt = naturalPiece(at % 40, 14 + source.below(24));
    const reward = Math.min(
      0.99,
      Math.max(0.01, (valueAt('grpo', 'reward', cycle, step) ?? 0.5) + 0.1 * source.normal()),
    );
    return {
      step,
      prompt,
      completion: writtenAfter(prompt, 26 + source.below(16), at, 0.9),
      reward,
      advantage: 1.1 * source.normal(),
    };
  });
}

export function rewardExamples(count: number, worst: boolean) {
  const rows = Array.from({ length: count }, (_, index) => {
    const source = noise(index + 5);
    const length = 64;
    const crossover = 1 + source.below(length - 1);
    const piece = naturalPiece(index + 300, crossover);
    const truth = crossover / length;
    return {
      index,
      natural: piece,
      generated: writtenAfter(piece, length - crossover, index + 9, 0.88),
      truth,
      predicted: Math.min(0.98, Math.max(0.02, 0.45 * truth + 0.27 + 0.16 * source.normal())),
    };
  });
  return worst ? rows.sort((a, b) => Math.abs(b.truth - b.predicted) - Math.abs(a.truth - a.predicted)) : rows;
}

export const crossoverCounts = Array.from({ length: 20 }, (_, bin) => 285 + Math.round(noise(bin + 1).normal() * 16));

export const rewardChecks = [
  { label: 'Target distribution', value: 'mean 0.502, standard deviation 0.289', ok: true },
  { label: 'Split consistency', value: '75.0% train, 25.0% validation', ok: true },
  {
    label: 'Generation quality',
    value: 'generated text has distinct-2 0.871, natural 0.902 (longest repetition 3.2 and 2.8 tokens)',
    ok: true,
  },
  { label: 'Token range', value: 'every token is below the vocabulary size of 84', ok: true },
];
