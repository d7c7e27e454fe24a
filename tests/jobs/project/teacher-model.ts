/** Models of another program that teach, with a tokenizer of words: as they come, and once they know a text. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { initialWeights } from '../../../main/engine/model/model.js';
import { writeHuggingFaceModel } from '../../../main/formats/huggingface.js';
import { trainJob } from '../../../main/jobs/commands/train.js';
import { trainCommandShape } from '../../../shared/config/commands.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { testContext } from '../context.js';

const cases = join(import.meta.dirname, '../../engine/tokenizer/pretrained-cases.json');
/** A part of SmolLM2's. */
export const { smollm } = JSON.parse(readFileSync(cases, 'utf8')) as {
  readonly smollm: { readonly tokenizer: { readonly model: { readonly vocab: Readonly<Record<string, number>> } } };
};

/** @param tokenizer the text of its tokenizer.json */
export function writeModel(
  folder: string,
  config: GPTConfig,
  { seed, tokenizer = JSON.stringify(smollm.tokenizer) }: { readonly seed: number; readonly tokenizer?: string },
): void {
  mkdirSync(folder);
  const files = writeHuggingFaceModel(config, initialWeights(config, seed));
  writeFileSync(join(folder, 'config.json'), files['config.json']);
  writeFileSync(join(folder, 'model.safetensors'), Buffer.concat([...files['model.safetensors']]));
  writeFileSync(join(folder, 'tokenizer.json'), tokenizer);
}

/** Trains a model until it knows the text, so that it leads a writer that does not. */
export async function learnText(text: string, init_from: string, out_dir: string): Promise<void> {
  const from = { data_path: text, init_from, out_dir, preset: 'none', threads: 1 };
  const learns = { max_iters: 60, eval_interval: 60, eval_iters: 2, batch_size: 8, block_size: 8, learning_rate: 0.02 };
  await trainJob(z.object(trainCommandShape).parse({ ...from, ...learns, warmup_iters: 5 }), testContext().context);
}

/** The weights of a project's model, to be compared. */
export const bytes = (folder: string, name: string): string =>
  readFileSync(join(folder, 'checkpoints', name, 'weights.safetensors')).toString('base64');
