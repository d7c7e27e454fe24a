/** Makes a reward dataset from a model and a text: the documented prepare_reward_data.py (specification 3). */
import type { RewardDataCommand } from '../../../shared/config/commands.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { rewardSampleBytes } from '../../../shared/costs/disk.js';
import { writingBatch } from '../../../shared/costs/memory.js';
import { makeRewardData, planRewardData, type Split } from '../../engine/reward/reward-data.js';
import { localized } from '../../../shared/messages/message.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { splits } from '../../storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter, type RewardDatasetWriter } from '../../storage/datasets/reward-dataset-writer.js';
import { mustFitInMemory } from '../machine/memory.js';
import { fetchNamedModel } from '../hub-models.js';
import { openModel } from '../models.js';
import { finishedRewardData } from '../run/finished-reward-data.js';
import { rewardDataFacts } from '../run/reward-data-settings.js';
import {
  completeWords,
  createdWords,
  dataWords,
  modelWords,
  otherTextWords,
  savedWords,
  settingsWords,
  splitTitle,
} from './reward-data-words.js';
import { metaBeside, openTextFor } from '../text.js';
import { environmentOf, type Job } from '../types.js';

export const prepareRewardDataJob: Job<RewardDataCommand> = async (config, context) => {
  const { output_dir: dir, overwrite, seed, model_path } = config;
  const say = (...lines: readonly string[]): void => {
    for (const message of lines) context.emit({ event: 'notice', level: 'info', code: 'reward_data', message });
  };
  say('Configuration validation passed');
  const env = await environmentOf(context);
  say(`Using device: ${env.runtime.device}`, `Loading base model from ${model_path}`);
  await fetchNamedModel(model_path, context);
  const {
    config: model,
    weights,
    tokenization,
    provenance,
    metaPath,
  } = openModel(model_path, 'generator', { context, data: config });
  const { block_size: blockSize } = model;
  const { method, vocab_size: vocabSize } = tokenization;
  mustFitInMemory(writingBatch(model), env.runtime);
  say(modelWords(parameterCount(model)));
  const text = await openTextFor(tokenization, config, context);
  try {
    say(...dataWords({ method, vocabSize, train: text.train.length, val: text.val.length }));
    const plans = planRewardData({ model, tokens: text, config, seed });
    requireSpace(
      dir,
      (plans.train.length + plans.val.length) * rewardSampleBytes(blockSize),
      localized('disk.room_for_reward_dataset'),
    );
    const facts = rewardDataFacts({ model, weights, vocabSize, text, config, seed });
    const trainedOn = provenance['text_sha256'];
    if (typeof trainedOn === 'string' && trainedOn !== facts.provenance['text_sha256']) {
      context.emit({ event: 'notice', level: 'warning', code: 'other_text', message: otherTextWords });
    }
    const there = overwrite ? null : finishedRewardData(dir, blockSize, facts.provenance);
    if (there !== null) {
      const message = `${dir} holds the result of this very run; --overwrite begins again.`;
      context.emit({ event: 'notice', level: 'info', code: 'finished_already', message });
      const skipped = splits.reduce((sum, split) => sum + Number(there[split].provenance?.['skipped_samples'] ?? 0), 0);
      return resultsOf(dir, blockSize, {
        train: there.train.numSamples,
        val: there.val.numSamples,
        skipped,
      });
    }
    const writer = createRewardDatasetWriter(dir, {
      // The person’s own meta.pkl is named in the metadata; one that was made for this run only is not.
      tokenization: {
        method,
        vocabSize,
        metaPath: config.meta_path ?? metaPath ?? metaBeside(text.tokenization, config),
      },
      ...facts,
      overwrite,
    });
    try {
      const { samples_per_chunk: samplesPerChunk, temperature, top_k: topK } = config;
      say(...settingsWords({ blockSize, method, vocabSize, samplesPerChunk, temperature, topK }));
      sayResumed(writer, say);
      context.emit({ event: 'phase', phase: 'reward_data', state: 'started', message: 'Writing reward data' });
      const samples = await makeRewardData({
        model,
        weights,
        tokens: text,
        config,
        generation: config,
        seed,
        vocabLimit: vocabSize,
        env,
        from: writer.settled,
        append: appendAndSay(writer, plans, say),
      });
      writer.finish();
      say(...savedWords(dir, blockSize, samples), ...completeWords({ dir, blockSize, samples, method, vocabSize }));
      return resultsOf(dir, blockSize, samples);
    } finally {
      writer.close();
    }
  } finally {
    text.close();
  }
};

/** Says which split the samples are of, and how many they are once they are all there. */
function appendAndSay(
  writer: RewardDatasetWriter,
  plans: Readonly<Record<Split, readonly unknown[]>>,
  say: (line: string) => void,
): RewardDatasetWriter['append'] {
  let current: Split | null = null;
  return (split, x, y, settled) => {
    if (split !== current) say(splitTitle(split));
    current = split;
    writer.append(split, x, y, settled);
    if (settled?.planned === plans[split].length) say(createdWords(settled.planned - settled.skipped));
  };
}

const resultsOf = (
  dir: string,
  blockSize: number,
  samples: { readonly train: number; readonly val: number; readonly skipped: number },
) => ({
  train_samples: samples.train,
  val_samples: samples.val,
  skipped_samples: samples.skipped,
  block_size: blockSize,
  output_dir: dir,
});

function sayResumed({ settled: { train, val } }: RewardDatasetWriter, say: (line: string) => void): void {
  const done = train.planned + val.planned;
  if (done > 0) say(`Resuming after ${done.toLocaleString('en-US')} samples that an earlier run has written.`);
}
