/** The reward data of a cycle for the window: its quality report, where samples cross over, examples in words. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { rewardExample } from '../../../shared/contract/projects.js';
import { UserError } from '../../../shared/errors.js';
import { inspectRewardDataset } from '../../storage/datasets/reward-dataset-inspection.js';
import { openRewardDataset } from '../../storage/datasets/reward-dataset-files.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { loadTokenizer, TOKENIZER } from '../../storage/datasets/tokenizer-files.js';
import { readStored } from '../files/stored.js';
import type { Page } from './pages.js';

type Example = z.infer<typeof rewardExample>;

const bins = 20;

interface RewardSummary {
  readonly checks: { readonly label: string; readonly value: string; readonly ok: boolean }[];
  readonly crossover_counts: number[];
}

/** @throws UserError `file_not_found` while there is none yet */
export async function rewardSummary(folder: string, cycle: number): Promise<RewardSummary> {
  const dir = datasetOf(folder, cycle);
  const { checks } = inspectRewardDataset(dir);
  const counts = Array.from({ length: bins }, () => 0);
  const dataset = openRewardDataset(dir, 'train');
  try {
    const targets = dataset.y(0, dataset.numSamples);
    for (let row = 0; row < dataset.numSamples; row++) {
      const bin = Math.min(bins - 1, Math.floor((targets[2 * row] ?? 0) * bins));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  } finally {
    dataset.close();
  }
  return {
    checks: checks.map(({ name, verdict, message }) => ({ label: name, value: message, ok: verdict === 'good' })),
    crossover_counts: counts,
  };
}

const predictionsSchema = z.array(z.number());

/** Validation samples; `worst`: those of which the reward model was most wrong, none before it is trained. */
export async function rewardExamples(
  folder: string,
  cycle: number,
  order: 'first' | 'worst',
  { offset, count }: Page,
): Promise<{ total: number; rows: Example[] }> {
  const paths = projectPaths(folder);
  const dataset = openRewardDataset(datasetOf(folder, cycle), 'val');
  try {
    const { numSamples, blockSize, tokenization } = dataset;
    const { method } = tokenization;
    const [metaPath, tokenizerPath] = [join(paths.data, 'meta.pkl'), join(paths.data, TOKENIZER)];
    const tokenizer = await loadTokenizer({ method, metaPath, tokenizerPath });
    const predictions = readStored(paths.cycle(cycle).rewardPredictions, predictionsSchema, []);
    const truth = (row: number) => dataset.y(row, 1)[0] ?? 0;
    const all = Array.from({ length: numSamples }, (_, row) => row);
    const wrong = (row: number) => Math.abs((predictions[row] ?? 0) - truth(row));
    const ordered =
      order === 'first' ? all : all.filter((row) => row in predictions).sort((a, b) => wrong(b) - wrong(a));
    const rows = ordered.slice(offset, offset + count).map((index): Example => {
      const ids = dataset.x(index, 1);
      const crossover = Math.round(truth(index) * blockSize);
      const decoder = tokenizer.createDecoder();
      return {
        index,
        natural: decoder.push(ids.subarray(0, crossover)),
        generated: decoder.push(ids.subarray(crossover)) + decoder.flush(),
        truth: truth(index),
        predicted: predictions[index] ?? null,
      };
    });
    return { total: ordered.length, rows };
  } finally {
    dataset.close();
  }
}

function datasetOf(folder: string, cycle: number): string {
  const dir = projectPaths(folder).cycle(cycle).rewardData;
  if (existsSync(dir)) return dir;
  throw new UserError({
    code: 'file_not_found',
    message: localized('projects.cycle_no_reward_data_yet', { cycle }),
    hint: localized('projects.written_when_base_training_cycle'),
  });
}
