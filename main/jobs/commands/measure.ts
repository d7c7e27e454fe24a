/** Measures how fast this machine trains and writes with a model of given settings: a few steps on made-up tokens. */
import { z } from 'zod';
import { parameterCount } from '../../../shared/architectures/index.js';
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import type { Shape } from '../../../shared/config/fields.js';
import { projectShape } from '../../../shared/config/index.js';
import { generatorOf, type GPTConfig } from '../../../shared/config/model.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { WRITING_BATCH } from '../../../shared/config/reward-data.js';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { createWriter } from '../../engine/generate/generate.js';
import { createParameters, initialWeights } from '../../engine/model/model.js';
import { streams, uniformInt } from '../../engine/rng.js';
import { withSession } from '../../engine/runtime/session.js';
import { tokensInMemory } from '../../engine/train/dataset.js';
import { trainBase } from '../../engine/train/train.js';
import { nothingKept, type Environment } from '../../engine/types.js';
import { initialShape } from '../initial-models.js';
import { environmentOf, interrupted, type JobContext } from '../types.js';

/** Steps that count; compiling comes before them. */
const STEPS = 8;
/** Assumed sizes of the vocabulary of a text that was not read. */
const USUAL_CHARACTERS = 65;
const USUAL_WORD_PIECES = 50_257;

export async function measure(
  settings: Readonly<Record<string, unknown>>,
  context: JobContext,
): Promise<CallOutput<'measure'>> {
  const config = givenSettings(projectShape, settings);
  const { tokenization, vocab = LEARNED_TOKENS } = config;
  const usual = tokenization === 'learned' ? vocab : tokenization === 'char' ? USUAL_CHARACTERS : USUAL_WORD_PIECES;
  // The configuration has a default vocabulary, so look at what was given.
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

/** Random ids of equal probability. */
const randomTokens = (vocabSize: number, length: number) =>
  tokensInMemory(Array.from({ length }, (_, index) => uniformInt(0, streams.sample, 0, index, vocabSize)));

/** Tokens a second from the second step on, as base training's progress counts them. */
async function trainingSpeed(model: GPTConfig, config: Config, env: Environment): Promise<number | null> {
  let rate: number | null = null;
  const never = 2 ** 30;
  const [eval_interval, log_interval] = [never, never];
  await trainBase({
    model,
    train: { ...config, max_iters: STEPS, train_minutes: null, eval_interval, eval_iters: 1, log_interval },
    seed: 0,
    trainTokens: randomTokens(model.vocab_size, 4 * model.block_size + 1),
    valTokens: randomTokens(model.vocab_size, model.block_size + 1),
    slot: nothingKept,
    env: {
      ...env,
      emit(event) {
        if (event.event === 'progress' && event.phase === 'base_training') rate = event.rate ?? rate;
      },
    },
  });
  return rate === null ? null : rate * config.batch_size * model.block_size * config.gradient_accumulation_steps;
}

/** Tokens a second, once compiled, at the batch that writes reward data. */
async function writingSpeed(model: GPTConfig, config: Config, env: Environment): Promise<number | null> {
  return withSession(env.runtime, async (session) => {
    const rule = { temperature: config.temperature };
    const parameters = createParameters(session, initialWeights(model, 0));
    const writer = createWriter(session, model, parameters, WRITING_BATCH, rule, env);
    const passages = Array.from({ length: WRITING_BATCH }, (_, index) => ({ prefix: Uint32Array.of(0), index }));
    const noise = { seed: 0, stream: streams.sample };
    if (!(await writer.complete(passages, noise))) throw interrupted();
    const start = env.now();
    if (!(await writer.complete(passages, noise))) throw interrupted();
    const seconds = (env.now() - start) / 1000;
    return seconds > 0 ? (WRITING_BATCH * (model.block_size - 1)) / seconds : null;
  });
}

/** @throws UserError the first problem */
export function givenSettings<S extends Shape>(
  shape: S,
  given: Readonly<Record<string, unknown>>,
): z.infer<z.ZodObject<S>> {
  const resolved = resolveSettings(shape, given);
  if (resolved.ok) return z.object(shape).parse(resolved.value);
  const [problem] = resolved.problems;
  throw new UserError({
    code: 'bad_input',
    message: problem?.message ?? localized('run.incomplete_settings'),
    hint: problem?.hint ?? localized('run.fix_settings'),
    ...(problem?.field ? { field: problem.field } : {}),
  });
}
