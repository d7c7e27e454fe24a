/** Every kind of reward model on the same samples, those of cycle 1: which one sees? */
import { nothingKept } from '../../main/engine/types.js';
import type { RewardReport } from '../../shared/report.js';
import { cycleSeed } from '../../main/engine/cycle/cycle-types.js';
import { trainRewardModel, type RewardModelResult } from '../../main/engine/reward/reward.js';
import { rewardKinds, usesCritic, type RewardKind } from '../../shared/config/model.js';
import type { Studied } from './studied.js';

/** Enough for each to level off; those that level off earlier stop earlier. */
const MAX_STEPS = 1000;

export type KindReports = Readonly<Partial<Record<RewardKind, RewardReport>>>;

export async function compareKinds(studied: Studied, say: (what: string) => void): Promise<KindReports> {
  const reports: Partial<Record<RewardKind, RewardReport>> = {};
  for (const kind of rewardKinds) {
    say(`Comparing reward models: ${kind}`);
    reports[kind] = (await trainKind(studied, kind)).report;
  }
  return reports;
}

export async function trainKind(
  { config, base, critic, samples, env }: Studied,
  kind: RewardKind,
): Promise<RewardModelResult> {
  return trainRewardModel({
    ...base,
    ...(usesCritic(kind) ? { critic } : {}),
    temperature: config.temperature,
    trainSamples: samples.train,
    valSamples: samples.val,
    config: {
      ...config,
      reward_kind: kind,
      reward_pooling: 'last',
      reward_unfreeze: 0,
      reward_max_iters: Math.min(config.reward_max_iters, MAX_STEPS),
    },
    seed: cycleSeed(config.seed, 1),
    slot: nothingKept,
    env,
  });
}
