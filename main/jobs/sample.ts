/** Lets a model write: continuations of a prompt, the same for the same seed. */
import type { SampleCommand } from '../../shared/config/commands.js';
import { generate } from '../engine/generate.js';
import { streams } from '../engine/rng.js';
import { checkTopK, openModel } from './models.js';
import { tokenizerOf } from './text.js';
import { environmentOf, type Job } from './types.js';

export const sampleJob: Job<SampleCommand> = async (config, context) => {
  const { prompt, num_samples, max_new_tokens, temperature, top_k, seed } = config;
  const { config: model, weights, tokenization } = openModel(config.model_path, 'generator');
  const tokenizer = await tokenizerOf(tokenization);
  checkTopK(top_k, tokenizer.vocabSize);
  const start = tokenizer.encode(prompt);
  const env = await environmentOf(context);
  const texts = await generate({
    model,
    weights,
    prompts: Array.from({ length: num_samples }, () => start),
    newTokens: max_new_tokens,
    temperature,
    topK: top_k,
    vocabLimit: tokenizer.vocabSize,
    seed,
    stream: streams.sample,
    env,
  });
  const samples = texts.map((ids) => ({ prompt, completion: tokenizer.decode(ids.subarray(start.length)) }));
  samples.forEach((sample, index) => context.emit({ event: 'sample', label: `sample ${index + 1}`, ...sample }));
  return { samples, model_path: config.model_path };
};
