/** Makes a reward dataset from a model and a text: the documented prepare_reward_data.py (specification 3), with its lines (3.10). */
import { join } from 'node:path';
import { parameterCount } from '../../../shared/architectures/index.js';
import type { RewardDataCommand } from '../../../shared/config/commands.js';
import { rewardSampleBytes } from '../../../shared/costs/disk.js';
import { writingBatch } from '../../../shared/costs/memory.js';
import { count, localized, type MessageCode, type MessageParameters } from '../../../shared/messages/message.js';
import { makeRewardData, planRewardData, type Split } from '../../engine/reward/reward-data.js';
import { splits } from '../../storage/datasets/reward-dataset-files.js';
import { createRewardDatasetWriter, type RewardDatasetWriter } from '../../storage/datasets/reward-dataset-writer.js';
import { requireSpace } from '../../storage/disk/disk.js';
import { mustFitInMemory } from '../machine/memory.js';
import { fetchNamedModel, openModel } from '../models.js';
import { finishedRewardData, rewardDataFacts } from '../run/reward-data-settings.js';
import { metaNextTo, openTextFor } from '../text.js';
import { environmentOf, notice, type Job } from '../types.js';

type Report = (code: MessageCode & `rewardData.${string}`, params?: MessageParameters) => void;

export const prepareRewardDataJob: Job<RewardDataCommand> = async (config, context) => {
  const { output_dir: dir, overwrite, seed, model_path } = config;
  const report: Report = (code, params) => context.emit(notice('reward_data', localized(code, params)));
  report('rewardData.validated');
  const env = await environmentOf(context);
  report('rewardData.loading', { device: env.runtime.device, path: model_path });
  await fetchNamedModel(model_path, context);
  const opened = openModel(model_path, 'generator', { context, data: config });
  const { config: model, weights, tokenization, provenance, metaPath } = opened;
  const { block_size } = model;
  const { method, vocab_size } = tokenization;
  mustFitInMemory(writingBatch(model), env.runtime);
  report('rewardData.loaded', { millions: (parameterCount(model) / 1e6).toFixed(2) });
  const text = await openTextFor(tokenization, config, context);
  try {
    report('rewardData.data', { method, vocab_size, train: count(text.train.length), val: count(text.val.length) });
    const plans = planRewardData({ model, tokens: text, config, seed });
    const needed = (plans.train.length + plans.val.length) * rewardSampleBytes(block_size);
    requireSpace(dir, needed, localized('disk.room_for_reward_dataset'));
    const facts = rewardDataFacts({ model, weights, vocabSize: vocab_size, text, config, seed });
    const trainedOn = provenance['text_sha256'];
    // Held-out text must not have been trained on (specification 2.4).
    if (typeof trainedOn === 'string' && trainedOn !== facts.provenance['text_sha256']) {
      context.emit(notice('other_text', localized('rewardData.other_text'), 'warning'));
    }
    const results = ({ train, val, skipped }: { train: number; val: number; skipped: number }) => ({
      train_samples: train,
      val_samples: val,
      skipped_samples: skipped,
      block_size,
      output_dir: dir,
    });
    const finished = overwrite ? null : finishedRewardData(dir, block_size, facts.provenance);
    if (finished !== null) {
      context.emit(notice('finished_already', localized('run.finished_already', { folder: dir })));
      return results({ train: finished.train.numSamples, val: finished.val.numSamples, skipped: skippedIn(finished) });
    }
    const writer = createRewardDatasetWriter(dir, {
      // The metadata name the user's own meta.pkl, not one that was made for this run.
      tokenization: {
        method,
        vocabSize: vocab_size,
        metaPath: config.meta_path ?? metaPath ?? metaNextTo(text.tokenization, config),
      },
      ...facts,
      overwrite,
    });
    try {
      const { samples_per_chunk, temperature, top_k } = config;
      const settings = { block_size, method, vocab_size, samples_per_chunk, temperature: float(temperature), top_k };
      report('rewardData.settings', settings);
      const done = writer.settled.train.planned + writer.settled.val.planned;
      if (done > 0) report('rewardData.resuming', { samples: count(done) });
      const begins = { event: 'phase', phase: 'reward_data', state: 'started' } as const;
      context.emit({ ...begins, message: localized('rewardData.writing') });
      const samples = await makeRewardData({
        model,
        weights,
        tokens: text,
        config,
        generation: config,
        seed,
        vocabLimit: vocab_size,
        excluded: text.tokenizer.special,
        env,
        from: writer.settled,
        append: reportingAppend(writer, plans, report),
      });
      writer.finish();
      const { train, val } = samples;
      report('rewardData.saved', { dir, block_size, train, val, ...filesIn(dir) });
      report('rewardData.complete', { dir, block_size, method, vocab_size, train: count(train), val: count(val) });
      return results(samples);
    } finally {
      writer.close();
    }
  } finally {
    text.close();
  }
};

const skippedIn = (finished: NonNullable<ReturnType<typeof finishedRewardData>>) =>
  splits.reduce((sum, split) => sum + Number(finished[split].provenance?.['skipped_samples'] ?? 0), 0);

const filesIn = (dir: string) =>
  Object.fromEntries(
    splits.flatMap((split) => [`${split}_x`, `${split}_y`]).map((name) => [name, join(dir, `${name}.bin`)]),
  );

/** As Python prints it: 1.0 for a whole number. */
const float = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** Reports which split the samples are of, and their number once it is complete. */
function reportingAppend(
  writer: RewardDatasetWriter,
  plans: Readonly<Record<Split, readonly unknown[]>>,
  report: Report,
): RewardDatasetWriter['append'] {
  let current: Split | null = null;
  return (split, x, y, settled) => {
    if (split !== current) report('rewardData.split', { split });
    current = split;
    writer.append(split, x, y, settled);
    if (settled?.planned === plans[split].length)
      report('rewardData.created', { samples: count(settled.planned - settled.skipped) });
  };
}
