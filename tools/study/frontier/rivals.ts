/**
 * What the time of the cycles would have given, spent in other ways: training on, as before or gently, with the weights of the evaluation where
 * the held-out text was likeliest; and learning from what the critic writes (sequence-level distillation, Kim and Rush
 * 2016), beside the text itself.
 */
import { createWriter } from '../../../main/engine/generate/generate.js';
import { createParameters } from '../../../main/engine/model/model.js';
import type { LanguageModel } from '../../../main/engine/reward/reward.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { perplexity, stoppedMeasuring } from '../../../main/engine/train/perplexity.js';
import { trainOn } from '../../../main/engine/cycle/training-on.js';
import type { TokenSource } from '../../../main/engine/types.js';
import { withProgress, type StudiedProject } from '../studied.js';
import { secondsOfAll, type PhaseSeconds } from './seconds.js';

/** Evaluations of the held-out text on the way, of which the best is kept. */
const EVALUATIONS = 12;
/** Of the seconds: where so much training on, its rate brought to nothing, gains nothing, more of it was never seen to gain. */
const TRIED_FIRST = 1 / 4;
/** Noise of their own: batches that base training has not seen in this order. */
const seedOffset = { trainedOn: 2 ** 46, trainedGently: 2 ** 45, distilled: 2 ** 43 };
const BATCH = 64;

export interface Rival {
  readonly model: LanguageModel;
  /** Nats per token of the held-out text; never above the base model's, which is kept where nothing was gained. */
  readonly val_loss: number;
  readonly steps: number;
}

export type Parts = Pick<StudiedProject, 'folder' | 'config' | 'tokens' | 'base' | 'critic' | 'reports' | 'env'>;

/** Steps of base training that fit so many processor seconds, at the speed that base training had. */
export function stepsFor(
  seconds: number,
  { config, base, reports }: Pick<Parts, 'config' | 'base' | 'reports'>,
): number {
  const { batch_size, gradient_accumulation_steps } = config;
  const tokensPerSecond = reports[0]?.base?.tokens_per_second ?? NaN;
  const perStep = batch_size * base.model.block_size * gradient_accumulation_steps;
  return Math.max(1, Math.round((seconds * tokensPerSecond) / perStep));
}

/** Over so many steps more. */
export const rivalPlan = (steps: number) => ({ steps, evaluations: EVALUATIONS, patience: 1e6 });

async function furtherTrained(
  name: keyof typeof seedOffset,
  steps: number,
  train: TokenSource,
  { folder, config, tokens, base, env }: Parts,
): Promise<Rival> {
  const before = await perplexity({ ...base, tokens: tokens.val, phase: 'evaluation', env });
  const { weights, val_loss } = await withProgress(folder, `${name}-${String(steps)}`, (slot) =>
    trainOn({
      ...{ config, before: base, tokens: { train, val: tokens.val, text: tokens.train }, slot, env },
      ...{ pace: name === 'trainedGently' ? 'gently' : 'as_before', seed: config.seed + seedOffset[name] },
      ...rivalPlan(steps),
    }),
  );
  return {
    model: val_loss < before.loss ? { model: base.model, weights } : base,
    val_loss: Math.min(val_loss, before.loss),
    steps,
  };
}

/**
 * The base model trained on for the seconds of the cycles, their critic included: without cycles there would be none. A
 * quarter of them comes first, and the rest only where that gained.
 */
export async function trainedOn(
  pace: 'trainedOn' | 'trainedGently',
  seconds: PhaseSeconds,
  parts: Parts,
): Promise<Rival> {
  const all = secondsOfAll(seconds);
  const trainFor = (share: number) => furtherTrained(pace, stepsFor(share * all, parts), parts.tokens.train, parts);
  const tried = await trainFor(TRIED_FIRST);
  if (tried.model === parts.base) return tried;
  const whole = await trainFor(1);
  return whole.val_loss < tried.val_loss ? whole : tried;
}

/** The critic's seconds are spent; what is left is halved between its writing and the learning. */
export async function distilled(seconds: PhaseSeconds, parts: Parts): Promise<Rival & { readonly written: number }> {
  const { critic = 0 } = seconds;
  const left = secondsOfAll(seconds) - critic;
  const written = await writtenBy(left / 2, parts);
  const { train } = parts.tokens;
  const all = new Uint32Array(train.length + written.length);
  all.set(train.read(0, train.length));
  all.set(written, train.length);
  const steps = stepsFor(left / 2, parts);
  return { ...(await furtherTrained('distilled', steps, tokensInMemory(all), parts)), written: written.length };
}

/** What the critic writes in so many seconds, passage after passage, each after one token of the text. */
async function writtenBy(seconds: number, { config, tokens, critic, env }: Parts): Promise<Uint32Array> {
  const { model, weights } = critic;
  const T = model.block_size;
  const session = env.runtime.createSession();
  try {
    const rule = { temperature: 1, topK: null, vocabLimit: model.vocab_size };
    const parameters = createParameters(session, weights);
    const writer = createWriter(session, { ...model, dropout: 0 }, parameters, BATCH, rule, env);
    const seed = config.seed + seedOffset.distilled;
    const parts: number[] = [];
    // The first batch compiles, and is not counted.
    let began = env.now();
    for (let batch = 0; batch < 2 || env.now() - began < seconds * 1000; batch++) {
      const passages = Array.from({ length: BATCH }, (_, row) => {
        const index = batch * BATCH + row;
        const start = uniformInt(seed, streams.rewardGeneration, 0, index, tokens.train.length - 1);
        return { prefix: tokens.train.read(start, 1).slice(), index };
      });
      const done = await writer.complete(passages, { seed, stream: streams.rewardGeneration });
      if (!done) throw stoppedMeasuring();
      for (const { ids } of done) parts.push(...Array.from(ids.subarray(0, T)));
      if (batch === 0) began = env.now();
    }
    return Uint32Array.from(parts);
  } finally {
    session.dispose();
  }
}
