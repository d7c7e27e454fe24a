/** How fast this machine trains and writes with a model of some settings: a few steps on made-up tokens. */
import { projectShape } from '../../../shared/config/index.js';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import { generatorOf, type GPTConfig } from '../../../shared/config/model.js';
import { WRITING_BATCH } from '../../../shared/config/reward-data.js';
import { tokensInMemory } from '../../engine/train/dataset.js';
import { createWriter } from '../../engine/generate/generate.js';
import { parameterCount } from '../../../shared/architectures/index.js';
import { createParameters, initialWeights } from '../../engine/model/model.js';
import { streams, uniformInt } from '../../engine/rng.js';
import { trainBase } from '../../engine/train/train.js';
import { nothingKept, type Environment } from '../../engine/types.js';
import { givenSettings } from '../run/given-settings.js';
import { initialShape } from '../initial-shape.js';
import { environmentOf, interrupted, type JobContext } from '../types.js';

/** Steps that count; compiling comes before them. */
const STEPS = 8;
/** A vocabulary where the text has not been looked at. */
const USUAL_CHARACTERS = 65;
const USUAL_WORD_PIECES = 50_257;

export async function measure(
  settings: Readonly<Record<string, unknown>>,
  context: JobContext,
): Promise<CallOutput<'measure'>> {
  const config = givenSettings(projectShape, settings);
  const { tokenization, vocab = LEARNED_TOKENS } = config;
  const usual = tokenization === 'learned' ? vocab : tokenization === 'char' ? USUAL_CHARACTERS : USUAL_WORD_PIECES;
  // The configuration has a vocabulary of its own even when nobody gave one.
  const vocabulary = typeof settings['vocab_size'] === 'number' ? settings['vocab_size'] : usual;
  const initial = initialShape(config)?.model;
  const { block_size, dropout } = config;
  const model = initial ? { ...initial, block_size, dropout } : generatorOf(config, vocabulary);
  const env = await environmentOf(context, config);
  const trained = await trainingSpeed(model, config, env);
  if (context.stop.requested) throw interrupted();
  const written = await writingSpeed(model, config, env);
  return {
    parameters: parameterCount(model),
    tokens_per_second: trained,
    written_per_second: written,
    memory: process.memoryUsage().rss,
  };
}

type Config = ReturnType<typeof givenSettings<typeof projectShape>>;

/** Ids in no order, each with a chance. */
function madeUp(vocabSize: number, length: number) {
  return tokensInMemory(Array.from({ length }, (_, index) => uniformInt(0, streams.sample, 0, index, vocabSize)));
}

/** Tokens a second from the second step on, as the progress of base training itself counts them. */
async function trainingSpeed(model: GPTConfig, config: Config, env: Environment) {
  const tokens = madeUp(model.vocab_size, 4 * model.block_size + 1);
  let rate: number | null = null;
  await trainBase({
    model,
    train: {
      ...config,
      max_iters: STEPS,
      train_minutes: null,
      eval_interval: 2 ** 30,
      eval_iters: 1,
      log_interval: 2 ** 30,
    },
    seed: 0,
    trainTokens: tokens,
    valTokens: madeUp(model.vocab_size, model.block_size + 1),
    slot: nothingKept,
    env: {
      ...env,
      emit(event) {
        if (event.event !== 'progress' || event.phase !== 'base_training') return;
        rate = event.rate ?? rate;
      },
    },
  });
  return rate === null ? null : rate * config.batch_size * model.block_size * config.gradient_accumulation_steps;
}

/** Tokens a second, once compiled, at the batch that writes reward data. */
async function writingSpeed(model: GPTConfig, config: Config, env: Environment): Promise<number | null> {
  const batch = WRITING_BATCH;
  const session = env.runtime.createSession();
  try {
    const rule = { temperature: config.temperature, topK: null, vocabLimit: model.vocab_size };
    const writer = createWriter(session, model, createParameters(session, initialWeights(model, 0)), batch, rule, env);
    const passages = Array.from({ length: batch }, (_, index) => ({ prefix: Uint32Array.of(0), index }));
    const noise = { seed: 0, stream: streams.sample };
    if (!(await writer.complete(passages, noise))) throw interrupted();
    const start = env.now();
    if (!(await writer.complete(passages, noise))) throw interrupted();
    const seconds = (env.now() - start) / 1000;
    return seconds > 0 ? (batch * (model.block_size - 1)) / seconds : null;
  } finally {
    session.dispose();
  }
}
