/**
 * The mean reward of a generator on fresh held-out prompts: prompts it is never trained on, always the same ones, with
 * the same noise, so that before and after can be compared.
 */
import type { Interval } from '../../../shared/reports/report.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import { createProgress } from '../train/progress.js';
import { samplePrompts } from '../generate/prompts.js';
import type { RewardScorer } from '../reward/reward-scorer.js';
import { streams } from '../rng.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import { joined, type Writer } from '../generate/generate.js';
import type { Environment, TokenSource } from '../types.js';

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type MeanReward = {
  readonly mean: number;
  readonly interval: Interval | null;
  readonly prompts: number;
};

export async function evaluateReward(options: {
  readonly writer: Writer;
  readonly scorer: RewardScorer;
  readonly tokens: TokenSource;
  readonly prompts: number;
  readonly batchSize: number;
  readonly blockSize: number;
  readonly seed: number;
  readonly env: Environment;
}): Promise<MeanReward> {
  const { writer, scorer, tokens, batchSize, blockSize, seed } = options;
  const prompts = samplePrompts(tokens, options.prompts, blockSize, {
    seed,
    stream: streams.evaluationPrompt,
    step: 0,
  });
  const noise = { seed, stream: streams.evaluationGeneration };
  const progress = createProgress(options.env, 'evaluation', 'samples', prompts.length);
  const rewards = new Float64Array(prompts.length);
  for (let first = 0; first < prompts.length; first += batchSize) {
    const passages = prompts.slice(first, first + batchSize).map((prefix, row) => ({ prefix, index: first + row }));
    const written = await writer.complete(passages, noise);
    if (!written) throw stoppedMeasuring();
    rewards.set(await scorer.score(joined(written)), first);
    progress.update(first + written.length, 'judging what is written on held-out prompts');
  }
  return { mean: mean(rewards), interval: meanInterval(rewards), prompts: prompts.length };
}
