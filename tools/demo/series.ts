/** Metrics as the engine would log them: one function of the step for each name, with the noise such curves have. */
import type { ChartAxis } from '../../shared/base/axes.js';
import type { PhaseName } from '../../shared/phases/events.js';
import { noise } from './random.js';

type Curve = (progress: number, step: number, cycle: number, wobble: () => number) => number | null;

const approach = (from: number, to: number, speed: number) => (progress: number) =>
  to + (from - to) * Math.exp(-speed * progress);

const evaluated =
  (every: number, curve: Curve): Curve =>
  (progress, step, cycle, wobble) =>
    step % every === 0 ? curve(progress, step, cycle, wobble) : null;

const lossCurve = approach(4.15, 1.42, 5);
const held = approach(4.12, 1.51, 5.2);

/** A reader is a language model like the base model, trained longer. */
const reader = (last: number): Record<string, Curve> => ({
  loss: (p, _s, _c, w) => approach(4.15, last - 0.06, 6)(p) + 0.05 * w(),
  val_loss: evaluated(250, (p, _s, _c, w) => approach(4.12, last, 6)(p) + 0.008 * w()),
});

export const curves: Partial<Record<PhaseName, Record<string, Curve>>> = {
  base_training: {
    loss: (p, _s, _c, w) => lossCurve(p) + 0.05 * w(),
    val_loss: evaluated(250, (p, _s, _c, w) => held(p) + 0.06 * p * p + 0.008 * w()),
    nats_per_character: (p, _s, _c, w) => lossCurve(p) + 0.05 * w(),
    val_nats_per_character: evaluated(250, (p, _s, _c, w) => held(p) + 0.06 * p * p + 0.008 * w()),
    val_bits_per_byte: evaluated(250, (p, _s, _c, w) => (held(p) + 0.06 * p * p + 0.008 * w()) / Math.LN2),
    words_known: evaluated(250, (p, _s, _c, w) => 0.91 - 0.78 * Math.exp(-6 * p) + 0.01 * w()),
    val_perplexity: evaluated(250, (p, _s, _c, w) => Math.exp(held(p) + 0.06 * p * p + 0.008 * w())),
    grad_norm: (p, _s, _c, w) => Math.abs(0.55 + 0.9 * Math.exp(-9 * p) + 0.09 * w()),
    learning_rate: (p) => (p < 0.05 ? (1e-3 * p) / 0.05 : 1e-4 + 0.45e-3 * (1 + Math.cos(Math.PI * p)) * 2 * 0.5),
    tokens_per_second: (_p, _s, _c, w) => 17_800 + 420 * w(),
    mfu: (_p, _s, _c, w) => 0.61 + 0.012 * w(),
  },
  critic: reader(1.39),
  judge: reader(1.36),
  reward_model: {
    loss: (p, _s, _c, w) => 0.052 + 0.03 * Math.exp(-5 * p) + 0.003 * w(),
    val_loss: evaluated(100, (p, _s, _c, w) => 0.056 + 0.027 * Math.exp(-5 * p) + 0.001 * w()),
  },
  grpo: {
    reward: (p, _s, c, w) => 0.52 + 0.09 * c * 0.4 + 0.22 * (1 - Math.exp(-2.6 * p)) + 0.012 * w(),
    reward_std: (p, _s, _c, w) => 0.09 - 0.03 * p + 0.005 * w(),
    reward_batch_std: (p, _s, _c, w) => 0.12 - 0.035 * p + 0.006 * w(),
    frac_reward_zero_std: () => 0,
    loss: (_p, _s, _c, w) => 0.002 * w(),
    kl: (p, _s, c, w) => Math.max(0, 0.19 * c * p ** 1.3 + 0.006 * w()),
    beta: (p, _s, c) => 0.04 * 1.6 ** (c * p),
    ptx_loss: (p, _s, _c, w) => 1.5 - 0.03 * p + 0.04 * w(),
    entropy: (p, _s, c, w) => 1.52 - (0.35 + 0.3 * c) * p + 0.02 * w(),
    clip_ratio_low: (p, _s, _c, w) => Math.max(0, 0.011 + 0.006 * p + 0.004 * w()),
    clip_ratio_high: (p, _s, _c, w) => Math.max(0, 0.014 + 0.004 * p + 0.004 * w()),
    clip_ratio: (p, _s, _c, w) => Math.max(0, 0.025 + 0.01 * p + 0.006 * w()),
    grad_norm: (_p, _s, _c, w) => Math.abs(0.4 + 0.06 * w()),
    learning_rate: () => 1e-5,
    distinct_1: (_p, _s, _c, w) => 0.041 + 0.001 * w(),
    distinct_2: (p, _s, c, w) => 0.3 - (0.06 + 0.05 * Math.min(c, 2)) * p + 0.008 * w(),
    distinct_3: (p, _s, _c, w) => 0.62 - 0.1 * p + 0.01 * w(),
    longest_repeated_run: (p, _s, c, w) => 3.1 + 2.2 * c * p + 0.4 * w(),
    copied_share: (_p, _s, _c, w) => Math.max(0, 0.09 + 0.02 * w()),
    longest_copied: (_p, _s, _c, w) => 9.2 + 0.7 * w(),
    longest_copied_max: (_p, _s, _c, w) => Math.round(22 + 3 * w()),
    completion_mean_length: (_p, _s, _c, w) => 32 + 1.6 * w(),
    held_out_nats_per_character: evaluated(10, (p, _s, c, w) =>
      Math.log(4.48 - 0.05 * p + 0.11 * c * p * p + 0.012 * w()),
    ),
    words_known: (p, _s, _c, w) => 0.84 + 0.05 * p + 0.01 * w(),
    held_out_perplexity: evaluated(10, (p, _s, c, w) => 4.48 - 0.05 * p + 0.11 * c * p * p + 0.012 * w()),
    tokens_per_second: (_p, _s, _c, w) => 2_950 + 90 * w(),
    mfu: (_p, _s, _c, w) => 0.34 + 0.01 * w(),
    num_tokens: (_p, s) => s * 32 * 64,
    seconds_generate: (_p, _s, _c, w) => 0.41 + 0.02 * w(),
    seconds_score: (_p, _s, _c, w) => 0.06 + 0.005 * w(),
    seconds_update: (_p, _s, _c, w) => 0.21 + 0.01 * w(),
  },
  evaluation: {
    judge_nats: (_p, _s, c) => 2.324 - 0.071 * c + 0.009 * c ** 2,
    judge_nats_prompted: (_p, _s, c) => 2.354 - 0.071 * c + 0.009 * c ** 2,
    natural_nats: () => 1.639,
    judge_gain: (_p, _s, c) => (c === 0 ? null : 0.071 * c - 0.009 * c ** 2),
    judge_gain_prompted: (_p, _s, c) => (c === 0 ? null : 0.08 * c - 0.009 * c ** 2),
    distinct_3: (_p, _s, c) => 0.274 - 0.004 * c,
    natural_distinct_3: () => 0.206,
    words_known: (_p, _s, c) => 0.83 + 0.02 * c,
    natural_words_known: () => 0.974,
    copied_share: (_p, _s, c) => 0.003 * c,
    natural_copied_share: () => 0.012,
    fresh_discriminator_r2: (_p, _s, c) => 0.703 - 0.031 * c,
  },
};

/** How far a phase goes, and how often it logs. */
export const lengths: Partial<Record<PhaseName, { readonly steps: number; readonly every: number }>> = {
  base_training: { steps: 2000, every: 10 },
  critic: { steps: 6000, every: 10 },
  judge: { steps: 4000, every: 10 },
  reward_model: { steps: 1400, every: 10 },
  grpo: { steps: 100, every: 1 },
  evaluation: { steps: 1, every: 1 },
};

/** One value: the same for the same place. */
export function valueAt(phase: PhaseName, name: string, cycle: number, step: number, seed = 42): number | null {
  const curve = curves[phase]?.[name];
  const length = lengths[phase];
  if (!curve || !length) return null;
  const source = noise(step * 7919 + cycle * 104729 + name.length * 31 + name.charCodeAt(0));
  const value = curve(step / length.steps, step, cycle, source.normal);
  return value === null ? null : value * (1 + 0.04 * Math.sin(3 * (seed - 42) + step / 400) * Math.sign(seed - 42));
}

/**
 * Converts steps of a phase to places on an axis and back. One project is of an earlier version, which recorded no
 * times; reward models count no tokens. Null: nowhere.
 */
export function placing(project: string, phase: PhaseName, axis: ChartAxis) {
  const seconds = project === 'project_shakespeare' ? 0.31 : 0.19;
  const isTime = axis === 'compute' || axis === 'wall';
  if ((isTime && project === 'project_recipes') || (axis === 'tokens' && phase === 'reward_model')) return null;
  const each = { step: 1, tokens: 768, compute: seconds, wall: seconds * 1.4 }[axis];
  return { of: (step: number) => step * each, stepAt: (place: number) => place / each };
}
