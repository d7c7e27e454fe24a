/** Shows what a text and the settings come to, from a sample of the text and a short look at the machine. */
import { projectConfigSchema } from '../../../shared/config/index.js';
import type { PreviewCommand } from '../../../shared/config/commands.js';
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import { criticModelPath, SHARED_TOKENS } from '../../../shared/config/scoring-models.js';
import { generatorOf, type GPTConfig } from '../../../shared/config/model.js';
import { adaptersOf } from '../../../shared/config/tune.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { guessedSpeed } from '../../../shared/costs/work.js';
import { createWriter } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import { trainingPrecision } from '../../engine/model/precision.js';
import { previewText, type Preview } from '../../engine/cycle/preview.js';
import { streams, uniformInt } from '../../engine/rng.js';
import { CharacterCensus, createCharTokenizer, PieceCensus, type Tokenizer } from '../../engine/tokenizer/index.js';
import type { Json, TokenIds } from '../../engine/types.js';
import { checkText, openBinaryData } from '../../storage/datasets/prepare-text.js';
import { shareTokens } from '../../storage/datasets/shared-tokens.js';
import { readSample, type TextSample } from '../../storage/texts/text-sample.js';
import { chooseFor, learnTokenizer, loadTokenizer, readMeta } from '../../storage/datasets/tokenizer-files.js';
import { measurePeaks } from '../machine/matrix-product.js';
import { fetchNamedModel } from '../hub-models.js';
import { criticModelFolder } from '../initial-critic.js';
import { openModel, type LoadedModel } from '../models.js';
import { initialShape, type InitialShape } from '../initial-shape.js';
import { mustFit, tokenizationOf, tokenizerOf } from '../text.js';
import { environmentOf, type Job, type JobContext } from '../types.js';

export const previewJob: Job<PreviewCommand> = async (config, context) =>
  (await previewWithTokens(config, context)).results;

/** The preview, and the sample in tokens that it was made from. */
export async function previewWithTokens(config: PreviewCommand, context: JobContext) {
  for (const named of [config.model_path ?? null, criticModelPath(config)]) await fetchNamedModel(named, context);
  const model =
    config.model_path === undefined ? null : openModel(config.model_path, 'generator', { context, data: config });
  const initial = initialShape(config);
  const text = await readText(config, { model, initial }, context);
  const started = context.now();
  const ids = text.tokenizer.encode(text.sample);
  const sampleSeconds = (context.now() - started) / 1000 + text.readSeconds;
  const network: GPTConfig = model?.config ?? ownNetwork(config, initial, text.tokenizer);
  const { block_size } = network;
  const crossover = 1 + uniformInt(config.seed, streams.crossover, 0, 0, block_size - 1);
  // Whether it multiplies bfloat16 is decided by the width that the model has, not by a preset's.
  const machine = { ...config, n_embd: network.n_embd };
  const env = await environmentOf(context, machine);
  const peaks = await measurePeaks(env.runtime, config.threads);
  const preview = previewText({
    sample: text.sample,
    bytesRead: text.bytesRead,
    bytesTotal: text.bytesTotal,
    sampleSeconds,
    tokenizer: text.tokenizer,
    config: projectConfigSchema.parse(config),
    model: network,
    crossover,
    written: model && (await writeOne(model, ids, crossover, config, env)),
    speed: guessedSpeed(peaks[trainingPrecision(env.runtime, network)] ?? null),
  });
  const { input, reason } = text;
  const results = {
    ...(preview as unknown as Record<keyof Preview, Json>),
    input: input as unknown as Json,
    reason: reason as unknown as Json,
  };
  return {
    results,
    warnings: preview.warnings,
    ids,
    tokenizer: text.tokenizer,
    made: text.made ?? null,
  };
}

interface SampledText extends Pick<TextSample, 'sample' | 'bytesRead' | 'bytesTotal' | 'input'> {
  readonly tokenizer: Tokenizer;
  readonly reason: Message;
  readonly readSeconds: number;
  /** Where the tokens were made for this text. */
  readonly made?: 'learned' | 'shared' | null;
}

function ownNetwork(config: PreviewCommand, initial: InitialShape | null, tokenizer: Tokenizer): GPTConfig {
  const { block_size, dropout } = config;
  if (initial) return { ...initial.model, block_size, dropout, ...adaptersOf(config) };
  return generatorOf(config, tokenizer.vocabSize);
}

async function readText(
  config: PreviewCommand,
  { model, initial }: { readonly model: LoadedModel | null; readonly initial: InitialShape | null },
  context: JobContext,
): Promise<SampledText> {
  if (config.input_mode === 'binary') return readTokens(config);
  const { data_path = '', text_field, tokenization, meta_path, tokenizer_path } = config;
  const started = context.now();
  const { folder, ...sample } = await readSample(data_path, { textField: text_field });
  const readSeconds = (context.now() - started) / 1000;
  if (sample.bytesRead >= sample.bytesTotal) {
    const census = new CharacterCensus();
    census.add(sample.sample);
    checkText(data_path, census, census.characters());
  }
  const trained = model?.tokenization ?? initial?.tokenization;
  if (trained) {
    const tokenizer = await tokenizerOf(trained);
    const reason = localized('tokens.reason.trained', { method: localized(`tokens.method.${tokenizer.method}`) });
    return { ...sample, tokenizer, reason, readSeconds };
  }
  const choice = chooseFor(
    folder,
    { tokenization, metaPath: meta_path, tokenizerPath: tokenizer_path, model: config },
    sizeOf(sample),
  );
  return {
    ...sample,
    tokenizer: await chosenTokenizer(choice, sample.sample, config),
    reason: choice.reason,
    readSeconds,
    made: choice.isLearned ? 'learned' : choice.isShared ? 'shared' : null,
  };
}

/** Of the whole text, as far as a sample of it tells: its rarest characters are not in it. */
function sizeOf({ sample, bytesRead, bytesTotal }: Pick<TextSample, 'sample' | 'bytesRead' | 'bytesTotal'>) {
  const census = new CharacterCensus();
  census.add(sample);
  const characters = Math.round((census.count * bytesTotal) / Math.max(1, bytesRead));
  return { characters, distinct: census.characters().length };
}

async function chosenTokenizer(
  choice: ReturnType<typeof chooseFor>,
  sample: string,
  config: PreviewCommand,
): Promise<Tokenizer> {
  if (choice.isShared) {
    const shared = await shareTokens(criticModelFolder(config) ?? '');
    shared.add(sample);
    return (await shared.finish(config.vocab ?? SHARED_TOKENS)).tokenizer;
  }
  if (choice.isLearned) {
    const vocab = config.vocab ?? choice.vocab ?? LEARNED_TOKENS;
    const census = new PieceCensus();
    census.add(sample);
    return (await learnTokenizer(census.finish(), vocab)).tokenizer;
  }
  if (choice.method !== 'char') return loadTokenizer(choice);
  if (choice.metaPath !== null) return readMeta(choice.metaPath);
  const census = new CharacterCensus();
  census.add(sample);
  return createCharTokenizer(census.characters());
}

const SAMPLED_TOKENS = 1 << 18;

/** Token files give their text back. */
async function readTokens({
  train_bin = '',
  val_bin = '',
  tokenization,
  meta_path,
  tokenizer_path,
}: PreviewCommand): Promise<SampledText> {
  const data = await openBinaryData({
    trainBin: train_bin,
    valBin: val_bin,
    tokenization,
    metaPath: meta_path,
    tokenizerPath: tokenizer_path,
  });
  try {
    const count = Math.min(SAMPLED_TOKENS, data.train.length);
    const sample = data.tokenizer.decode(data.train.read(0, count));
    const bytesTotal = 2 * (data.train.length + data.val.length);
    const { tokenizer, reason, input } = data;
    return { sample, bytesRead: 2 * count, bytesTotal, tokenizer, reason, input, readSeconds: 0 };
  } finally {
    data.close();
  }
}

/** The example's generated part, by the model that would write it. */
async function writeOne(
  model: LoadedModel,
  ids: TokenIds,
  crossover: number,
  config: PreviewCommand,
  env: Awaited<ReturnType<typeof environmentOf>>,
): Promise<TokenIds | null> {
  const tokenizer = await tokenizerOf(model.tokenization);
  mustFit(model.tokenization, tokenizationOf(tokenizer));
  const { temperature, top_k: topK, seed } = config;
  const rule = { temperature, topK, vocabLimit: model.tokenization.vocab_size };
  const session = env.runtime.createSession();
  try {
    const writer = createWriter(session, model.config, createParameters(session, model.weights), 1, rule, env);
    const prefix = ids.slice(0, Math.min(crossover, ids.length));
    const written = await writer.complete([{ prefix, index: 0 }], { seed, stream: streams.rewardGeneration });
    return written?.[0]?.ids ?? null;
  } finally {
    session.dispose();
  }
}
