/** Options and result of training a reward model. */
import type { RewardModelConfig } from '../../../shared/config/reward-model.js';
import type { RewardReport } from '../../../shared/reports/report.js';
import type { CheckpointSlot, Environment, LanguageModel, RewardSamples } from '../types.js';
import { firstColumn } from './score-rows.js';
import type { SamplingRule } from '../model/sampling-rule.js';

/** `model` and `weights` are the generator's that wrote the samples. */
export interface RewardModelOptions extends LanguageModel {
  readonly critic?: LanguageModel;
  /** By which the generator wrote. */
  readonly rule?: SamplingRule;
  readonly trainSamples: RewardSamples;
  readonly valSamples: RewardSamples;
  readonly config: RewardModelConfig;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  readonly env: Environment;
}

export interface RewardModelResult extends LanguageModel {
  readonly report: RewardReport;
  /** P(natural) of each validation sample, in order. */
  readonly predictions: Float32Array;
}

/** Returns the natural fraction of each sample. */
export const truthOf = (samples: RewardSamples): Float32Array => firstColumn(samples.y(0, samples.numSamples));
