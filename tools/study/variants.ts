/**
 * Settings of GRPO tried one at a time, each from the same base model against the same critic with the same prompts and
 * noise, so that only the setting differs: which of them help, which are best left off (docs/experiments.md).
 */
import { nothingKept } from '../../main/engine/types.js';
import type { Judgement } from '../../shared/report.js';
import { cycleSeed } from '../../main/engine/cycle/cycle-types.js';
import { trainGrpo } from '../../main/engine/grpo/grpo.js';
import type { LanguageModel } from '../../main/engine/reward/reward.js';
import { loadModel } from '../../main/storage/projects/models.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';
import type { ProjectConfig } from '../../shared/config/index.js';
import type { RewardKind } from '../../shared/config/model.js';
import { trainKind } from './kinds.js';
import { gains, writingFigures, type Gains, type WritingFigures } from './results.js';
import { kept, type Studied } from './studied.js';

/** What a cycle has at `tiny`: enough to tell settings apart. */
const STEPS = 50;
/** Fresh prompts on which the reward is measured before and after. */
const EVAL_PROMPTS = 128;
/** Held-out passages of each sort that the judge reads. */
const PASSAGES = 512;

/** What is most worth knowing first. */
const variants: Readonly<Record<string, Partial<ProjectConfig>>> = {
  'as the preset has it': {},
  // Rewards of next to nothing and no KL: what the mix does by itself, which is plain training.
  'the mix alone, no reward': { log_ratio_bound: 1e-9, beta: 0 },
  'no mix': { ptx_coef: 0 },
  'beta 0.3': { beta: 0.3 },
  'beta 3': { beta: 3 },
  'the last weights, no average': { policy_average: 0 },
  'KL target 0.02': { kl_target: 0.02 },
  'log_ratio of the whole': { reward_shape: 'log_ratio' },
  'fraction, scaled by group, beta 0.04': { reward_shape: 'fraction', scale_rewards: 'group', beta: 0.04 },
  'mix 1': { ptx_coef: 1 },
  'against the hybrid': { reward_kind: 'hybrid' },
};

interface VariantFigures extends Pick<WritingFigures, 'distinct3_ratio' | 'copied_ratio'> {
  readonly changes: Partial<ProjectConfig>;
  readonly gain: Gains;
  readonly perplexity_change: number;
  readonly kl: number;
  /** P(natural) on fresh prompts. */
  readonly reward: { readonly before: number; readonly after: number };
}

export async function tryVariants(studied: Studied, say: (what: string) => void) {
  const { folder, base } = studied;
  const before = await kept(folder, 'variants-before', async () => ({
    base: await studied.judged(base, PASSAGES),
    natural: await studied.judged(null, PASSAGES),
  }));
  const rows: Record<string, VariantFigures> = {};
  for (const [name, changes] of Object.entries(variants)) {
    say(`Trying ${name}`);
    rows[name] = await kept(folder, `variant ${name}`, () => tryVariant(studied, changes, before));
  }
  return rows;
}

async function tryVariant(
  studied: Studied,
  changes: Partial<ProjectConfig>,
  before: { readonly base: Judgement; readonly natural: Judgement },
): Promise<VariantFigures> {
  const { config, tokens, tokenization, base, env, judged } = studied;
  const reward = await rewardOf(studied, changes.reward_kind);
  const { weights, result } = await trainGrpo({
    model: base.model,
    policy: base.weights,
    rewardModel: reward.model,
    rewardWeights: reward.weights,
    trainTokens: tokens.train,
    valTokens: tokens.val,
    tokenization,
    generation: config,
    config: {
      ...config,
      grpo_max_steps: STEPS,
      perplexity_interval: STEPS,
      grpo_eval_prompts: EVAL_PROMPTS,
      ...changes,
    },
    vocabLimit: base.model.vocab_size,
    seed: cycleSeed(config.seed, 1),
    slot: nothingKept,
    env,
  });
  const after = await judged({ model: base.model, weights }, PASSAGES);
  const { distinct3_ratio, copied_ratio } = writingFigures(after, before.base, before.natural);
  return {
    changes,
    gain: gains(after, before.base),
    perplexity_change: result.perplexity_after / result.perplexity_before - 1,
    kl: result.kl,
    reward: { before: result.reward_first, after: result.reward_last },
    distinct3_ratio,
    copied_ratio,
  };
}

/** The project's own, unless another kind is tried. */
async function rewardOf(studied: Studied, kind: RewardKind | undefined): Promise<LanguageModel> {
  if (kind !== undefined) return trainKind(studied, kind);
  const { config: model, weights } = loadModel(projectPaths(studied.folder).model('reward_model_v1'));
  return { model, weights };
}
