/** Previews what a text and settings give, from a sample of the text and a short measurement of the machine. */
import type { PreviewCommand } from '../../../shared/config/commands.js';
import { previewCommandShape } from '../../../shared/config/commands.js';
import { cleanings, LEARNED_TOKENS } from '../../../shared/config/data.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { generatorOf, type GPTConfig } from '../../../shared/config/model.js';
import { criticModelPath, SHARED_TOKENS } from '../../../shared/config/scoring-models.js';
import { adaptersOf } from '../../../shared/config/tune.js';
import type { PreviewView } from '../../../shared/contract/drafts.js';
import { trainerCalls, type CallOutput } from '../../../shared/contract/trainer.js';
import { guessedSpeed } from '../../../shared/costs/work.js';
import { localized } from '../../../shared/messages/message.js';
import { previewText } from '../../engine/cycle/preview.js';
import { createWriter } from '../../engine/generate/generate.js';
import { createParameters } from '../../engine/model/model.js';
import { trainingPrecision } from '../../engine/model/precision.js';
import { samplingRule } from '../../engine/model/sampling-rule.js';
import { excerptOf } from '../../engine/statistics/character-baseline.js';
import { streams, uniformInt } from '../../engine/rng.js';
import { withSession } from '../../engine/runtime/session.js';
import { CharacterCensus, createCharTokenizer, PieceCensus, type Tokenizer } from '../../engine/tokenizer/index.js';
import { tokenTexts, UNKNOWN } from '../../engine/tokenizer/types.js';
import type { Environment, TokenIds } from '../../engine/types.js';
import { plainJson } from '../../formats/stable-json.js';
import { checkText, openBinaryData } from '../../storage/datasets/prepare-text.js';
import { shareTokens } from '../../storage/datasets/shared-tokens.js';
import { detectLanguage } from '../../storage/texts/language.js';
import { chooseFor, learnTokenizer, loadTokenizer, readMeta } from '../../storage/datasets/tokenizer-files.js';
import { readSample, type TextSample } from '../../storage/texts/text-sample.js';
import { criticModelFolder, initialShape, type InitialShape } from '../initial-models.js';
import { measurePeaks } from '../machine/matrix-product.js';
import { fetchNamedModel, openModel, type LoadedModel } from '../models.js';
import { familiarity } from './familiarity.js';
import { givenSettings } from './measure.js';
import { mustFit, tokenizationOf, tokenizerOf } from '../text.js';
import { environmentOf, interrupted, type Job, type JobContext } from '../types.js';

export const previewJob: Job<PreviewCommand> = async (config, context) => {
  const { preview, text } = await previewWithTokens(config, context);
  const { input, reason } = text;
  const model = config.model_path ?? config.init_from;
  const excerpt = excerptOf(text.sample);
  const { nats_per_character = null } =
    model === undefined ? {} : await familiarity({ model, text: excerpt.text }, context);
  return plainJson({
    ...preview,
    input,
    reason,
    ...(nats_per_character && { familiarity: { nats_per_character, baseline: excerpt.baseline } }),
  });
};

/** Previews for the window, with the text's first tokens. */
export async function previewView(
  settings: Readonly<Record<string, unknown>>,
  context: JobContext,
  onProgress: (value: unknown) => void,
): Promise<CallOutput<'preview'>> {
  onProgress({ done: 0, total: 1 });
  const { preview, text, ids } = await previewWithTokens(givenSettings(previewCommandShape, settings), context);
  if (context.stop.requested) throw interrupted();
  onProgress({ done: 1, total: 1 });
  const { tokenizer, reason, made, found } = text;
  const { output } = trainerCalls.preview;
  const whole: Readonly<Record<string, unknown>> = {
    ...preview,
    input: found?.inputs ?? text.input,
    cleaned: cleanings.flatMap((cleaning) => {
      const { count, places } = found?.cleaned[cleaning] ?? { count: 0 };
      return places ? [{ cleaning, count, places }] : [];
    }),
    left_out: found?.leftOut.slice(0, SHOWN_FILES) ?? [],
    held_out: found && { ...found.heldOut, choices: found.heldOut.choices.slice(0, SHOWN_FILES) },
    choice: found?.choice ?? null,
    reason,
    excerpt: excerptOf(text.sample),
    tokenization: made ?? tokenizer.method,
    pieces: piecesOf(ids.subarray(0, SHOWN_PIECES), tokenizer),
  };
  return output.parse(Object.fromEntries(Object.entries(whole).filter(([key]) => key in output.shape)));
}

async function previewWithTokens(config: PreviewCommand, context: JobContext) {
  for (const named of [config.model_path ?? null, criticModelPath(config)]) await fetchNamedModel(named, context);
  const model =
    config.model_path === undefined ? null : openModel(config.model_path, 'generator', { context, data: config });
  const initial = initialShape(config);
  const text = await readText(config, { model, initial }, context);
  const started = context.now();
  const ids = text.tokenizer.encode(text.sample);
  const sampleSeconds = (context.now() - started) / 1000 + text.readSeconds;
  const network: GPTConfig = model?.config ?? ownNetwork(config, initial, text.tokenizer);
  const crossover = 1 + uniformInt(config.seed, streams.crossover, 0, 0, network.block_size - 1);
  // The model's own width decides whether it computes in bfloat16, not a preset's.
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
  const files = text.found?.damaged ?? [];
  const damaged = { code: 'left_out', message: localized('preview.left_out', { files }) };
  const warnings = [
    ...preview.warnings,
    ...(files.length > 0 ? [{ ...damaged, hint: localized('preview.left_out.hint') }] : []),
  ];
  return { preview: { ...preview, warnings, language: detectLanguage(text.sample) }, text, ids };
}

interface SampledText extends Pick<TextSample, 'sample' | 'bytesRead' | 'bytesTotal'> {
  readonly tokenizer: Tokenizer;
  readonly input: PreviewView['input'];
  readonly reason: PreviewView['reason'];
  readonly readSeconds: number;
  /** Null for token files. */
  readonly found: TextSample | null;
  /** Set if the tokens were made for this text. */
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
  const found = await readSample(data_path, { ...config, textField: text_field, trainSplit: config.train_split });
  const readSeconds = (context.now() - started) / 1000;
  const { folder, bytesRead, bytesTotal, input } = found;
  const sample = { sample: found.sample, bytesRead, bytesTotal, input, found };
  const census = new CharacterCensus();
  census.add(sample.sample);
  const characters = census.characters();
  if (sample.bytesRead >= sample.bytesTotal) checkText(data_path, census, characters);
  const trained = model?.tokenization ?? initial?.tokenization;
  if (trained) {
    const tokenizer = await tokenizerOf(trained);
    const reason = localized('tokens.reason.trained', { method: localized(`tokens.method.${tokenizer.method}`) });
    return { ...sample, tokenizer, reason, readSeconds };
  }
  // The whole text's size, as far as a sample shows it: its rarest characters are missing.
  const whole = Math.round((census.count * sample.bytesTotal) / Math.max(1, sample.bytesRead));
  const choice = chooseFor(
    folder,
    { tokenization, metaPath: meta_path, tokenizerPath: tokenizer_path, model: config },
    { characters: whole, distinct: characters.length },
  );
  return {
    ...sample,
    tokenizer: await chosenTokenizer(choice, sample.sample, config),
    reason: choice.reason,
    readSeconds,
    made: choice.isLearned ? 'learned' : choice.isShared ? 'shared' : null,
  };
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
    const census = new PieceCensus();
    census.add(sample);
    return (await learnTokenizer(census.finish(), config.vocab ?? choice.vocab ?? LEARNED_TOKENS)).tokenizer;
  }
  if (choice.method !== 'char') return loadTokenizer(choice);
  if (choice.metaPath !== null) return readMeta(choice.metaPath);
  const census = new CharacterCensus();
  census.add(sample);
  return createCharTokenizer(census.characters());
}

const SAMPLED_TOKENS = 1 << 18;

/** Decodes the beginning of token files. */
async function readTokens(config: PreviewCommand): Promise<SampledText> {
  const data = await openBinaryData({
    trainBin: config.train_bin ?? '',
    valBin: config.val_bin ?? '',
    tokenization: config.tokenization,
    metaPath: config.meta_path,
    tokenizerPath: config.tokenizer_path,
  });
  try {
    const count = Math.min(SAMPLED_TOKENS, data.train.length);
    const sample = data.tokenizer.decode(data.train.read(0, count));
    const bytesTotal = 2 * (data.train.length + data.val.length);
    const { tokenizer, reason, input } = data;
    return { sample, bytesRead: 2 * count, bytesTotal, tokenizer, reason, input, readSeconds: 0, found: null };
  } finally {
    data.close();
  }
}

/** Lets the model write the generated part of the example. */
async function writeOne(
  model: LoadedModel,
  ids: TokenIds,
  crossover: number,
  { seed, ...generation }: PreviewCommand,
  env: Environment,
): Promise<TokenIds | null> {
  const tokenizer = await tokenizerOf(model.tokenization);
  mustFit(model.tokenization, tokenizationOf(tokenizer));
  const rule = samplingRule({ generation, vocabLimit: tokenizer.vocabSize, excluded: tokenizer.special });
  return withSession(env.runtime, async (session) => {
    const writer = createWriter(session, model.config, createParameters(session, model.weights), 1, rule, env);
    const prefix = ids.slice(0, Math.min(crossover, ids.length));
    const written = await writer.complete([{ prefix, index: 0 }], { seed, stream: streams.rewardGeneration });
    return written?.[0]?.ids ?? null;
  });
}

const SHOWN_FILES = 1000;
const SHOWN_PIECES = 200;

/** Returns tokens with their text. The first of several tokens of one character has the whole character, the others nothing. */
export function piecesOf(ids: TokenIds, tokenizer: Tokenizer): PreviewView['pieces'] {
  const pieces: PreviewView['pieces'] = [];
  const texts = tokenTexts(tokenizer, ids);
  for (let at = 0; at < ids.length;) {
    const end = texts.findIndex((text, i) => i >= at && text !== '') + 1 || ids.length;
    const [first = 0, ...rest] = ids.subarray(at, end);
    const text = texts[end - 1] ?? '';
    // The rest of the last character may be missing.
    if (text.includes(UNKNOWN)) pieces.push({ id: first, text: '', part: true });
    else pieces.push(rest.length > 0 ? { id: first, text, part: true } : { id: first, text });
    for (const id of rest) pieces.push({ id, text: '', part: true });
    at = end;
  }
  return pieces;
}
