/**
 * Opens the text of a command as two token sources, training and held out: prepared from a text, or as prepared earlier.
 * An existing model decides how its text is tokenized; anything else is an error.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataConfig } from '../../shared/config/data.js';
import type { ModelSize } from '../../shared/config/suited-tokens.js';
import { UserError } from '../../shared/errors.js';
import { count, localized, type Message } from '../../shared/messages/message.js';
import {
  loadBpeTokenizer,
  createCharTokenizer,
  type CharTokenizer,
  type Tokenizer,
} from '../engine/tokenizer/index.js';
import { writeMetaPickle } from '../formats/pickle/meta-pickle.js';
import type { TokenSource } from '../engine/types.js';
import { copyFileAtomic, writeFileAtomic } from '../storage/disk/atomic.js';
import { makeTemporaryFolder } from '../storage/disk/temporary-folder.js';
import type { Tokenization } from '../storage/projects/models.js';
import { openBinaryData, prepareText, type OpenData } from '../storage/datasets/prepare-text.js';
import { loadTokenizer, readMeta, readPretrained, TOKENIZER } from '../storage/datasets/tokenizer-files.js';
import { findTextFiles } from '../storage/texts/list/list-texts.js';
import { criticModelFolder } from './initial-models.js';
import { notice, type JobContext } from './types.js';

export interface OpenText {
  readonly train: TokenSource;
  readonly val: TokenSource;
  readonly tokenizer: Tokenizer;
  readonly tokenization: Tokenization;
  readonly metaPath: string | null;
  close(): void;
}

/** Lists the files of a text, to detect whether they have changed. */
export function textInputs(config: DataConfig): string[] {
  const { input_mode, data_path, train_bin, val_bin, meta_path, tokenizer_path, tokenization } = config;
  const texts = input_mode === 'text' && data_path !== undefined ? findTextFiles(data_path, config).files : [];
  const tokens = input_mode === 'text' ? [] : [train_bin, val_bin];
  const given = [...texts, ...tokens, tokenization === 'bpe' ? undefined : meta_path, tokenizer_path];
  return given.filter((path) => path !== undefined);
}

/** Loads the tokenizer that a model was trained with. */
export async function tokenizerOf(tokenization: Tokenization): Promise<Tokenizer> {
  if (tokenization.method === 'bpe') return loadBpeTokenizer();
  if (tokenization.method === 'pretrained') return loadTokenizer(tokenization);
  if (tokenization.chars) return createCharTokenizer(tokenization.chars);
  throw new UserError({
    code: 'checkpoint',
    message: localized('characters.unknown'),
    hint: localized('characters.add_meta'),
  });
}

export function tokenizationOf(tokenizer: Tokenizer, tokenizerPath: string | null = null): Tokenization {
  const { method, vocabSize } = tokenizer;
  return method === 'char'
    ? { method, vocab_size: vocabSize, chars: [...(tokenizer as CharTokenizer).characters] }
    : { method, vocab_size: vocabSize, ...(tokenizerPath === null ? {} : { tokenizerPath }) };
}

/** The model's size may decide the tokenizer, and the critic the tokens to choose from. */
type TrainingText = DataConfig & ModelSize & { readonly critic_from?: string | undefined };

interface TrainingTextOptions {
  readonly blockSize?: number;
  readonly keepBinary?: boolean;
  /** The tokenization of the model that training starts from. */
  readonly as?: Tokenization | undefined;
}

/**
 * Opens a text to train on: it decides the tokenizer, or the model that training starts from.
 * @param folder receives the prepared text
 */
export async function openTrainingText(
  config: TrainingText,
  folder: string,
  context: JobContext,
  { as: model, ...options }: TrainingTextOptions,
): Promise<OpenText> {
  if (!model) return openOwnText(config, folder, context, options);
  const own = tokenizedAs(model, config);
  try {
    const text = await openOwnText(own.config, folder, context, options);
    try {
      mustFit(model, text.tokenization);
      return text;
    } catch (error) {
      text.close();
      throw error;
    }
  } finally {
    own.remove();
  }
}

async function openOwnText(
  config: TrainingText,
  folder: string,
  context: JobContext,
  options: Omit<TrainingTextOptions, 'as'>,
): Promise<OpenText> {
  const { input_mode, tokenization, train_bin = '', val_bin = '', meta_path, tokenizer_path } = config;
  const given = {
    trainBin: train_bin,
    valBin: val_bin,
    tokenization,
    metaPath: meta_path,
    tokenizerPath: tokenizer_path,
  };
  if (input_mode === 'binary' && options.keepBinary !== true) return opened(await openBinaryData(given), context);

  const [trainBin, valBin] = [join(folder, 'train.bin'), join(folder, 'val.bin')];
  if (!existsSync(trainBin) || !existsSync(valBin)) {
    if (input_mode === 'binary') {
      const data = await openBinaryData(given);
      data.close();
      if (data.metaPath !== null) copyFileAtomic(data.metaPath, join(folder, 'meta.pkl'));
      if (data.tokenizerPath !== null) {
        const { files } = await readPretrained(data.tokenizerPath);
        for (const [name, text] of Object.entries(files)) writeFileAtomic(join(folder, name), text);
      }
      copyFileAtomic(data.valPath, valBin);
      copyFileAtomic(data.trainPath, trainBin);
    } else await prepare(config, folder, context, options.blockSize);
  }
  const { method, ...files } = tokenizerIn(folder);
  return opened(await openBinaryData({ trainBin, valBin, tokenization: method, ...files }), context);
}

/** Returns the tokenizer of the text that is prepared in a folder. */
function tokenizerIn(folder: string) {
  const [metaPath, tokenizerPath] = [join(folder, 'meta.pkl'), join(folder, TOKENIZER)];
  if (existsSync(metaPath)) return { method: 'char', metaPath } as const;
  return existsSync(tokenizerPath) ? ({ method: 'pretrained', tokenizerPath } as const) : ({ method: 'bpe' } as const);
}

async function prepare(config: TrainingText, outDir: string, context: JobContext, blockSize: number | undefined) {
  const { data_path: dataPath = '', tokenization, train_split: trainSplit } = config;
  const { meta_path: metaPath, tokenizer_path: tokenizerPath } = config;
  const { files } = findTextFiles(dataPath, config);
  const [first = dataPath] = files;
  const text = files.length === 1 ? first : localized('text.files', { path: dataPath, files: files.length });
  const phase = (state: 'started' | 'finished', message: Message) =>
    context.emit({ event: 'phase', phase: 'prepare', state, message });
  phase('started', localized('text.preparing', { text }));
  const prepared = await prepareText({
    dataPath,
    textField: config.text_field,
    keep: config.keep,
    held_out: config.held_out,
    tokenization,
    metaPath,
    tokenizerPath,
    vocab: config.vocab,
    shareWith: criticModelFolder(config) ?? undefined,
    model: config,
    trainSplit,
    outDir,
    blockSize,
    onProgress: byteProgress(context),
    stop: context.stop,
  });
  const { trainTokens, valTokens, reason, input, notes } = prepared;
  for (const note of notes) context.emit(notice('data', note));
  phase('finished', localized('tokens.prepared', { train: count(trainTokens), held: count(valTokens), input, reason }));
}

function byteProgress(context: JobContext): (done: number, total: number) => void {
  const start = context.now();
  return (done, total) => {
    const seconds = (context.now() - start) / 1000;
    const rate = seconds > 0 ? done / seconds : null;
    const seconds_left = rate === null || rate === 0 ? null : (total - done) / rate;
    context.emit({ event: 'progress', phase: 'prepare', done, total, unit: 'bytes', rate, seconds_left });
  };
}

/** Returns a text's settings with a model's own vocabulary, which may have characters that the text lacks. */
function tokenizedAs(model: Tokenization, config: TrainingText) {
  const { method, chars, tokenizerPath = config.tokenizer_path } = model;
  if (!['auto', 'suited', method].includes(config.tokenization)) {
    throw mismatch(localized('tokens.other_method', { model: method, given: config.tokenization }));
  }
  const tokenizer_path = method === 'pretrained' ? tokenizerPath : undefined;
  const as = (meta_path: string | undefined) => ({ ...config, tokenization: method, meta_path, tokenizer_path });
  if (method !== 'char') return { config: as(undefined), remove: () => undefined };
  if (config.meta_path !== undefined) return { config: as(config.meta_path), remove: () => undefined };
  if (!chars) throw unknownCharacters();
  const { path, remove } = makeTemporaryFolder('meta');
  const metaPath = join(path, 'meta.pkl');
  try {
    writeFileAtomic(metaPath, writeMetaPickle(chars));
  } catch (error) {
    remove();
    throw error;
  }
  return { config: as(metaPath), remove };
}

/** Opens a text to use a model with, tokenized as the model's was. Closing it deletes what was prepared. */
export async function openTextFor(model: Tokenization, config: DataConfig, context: JobContext): Promise<OpenText> {
  const { path: folder, remove } = makeTemporaryFolder('text');
  try {
    // Report progress only: the user did not request a preparation.
    const emit: JobContext['emit'] = (event) => (event.event === 'phase' ? undefined : context.emit(event));
    const text = await openTrainingText(config, folder, { ...context, emit }, { as: model });
    return {
      ...text,
      close() {
        text.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns the meta.pkl in the folder of a text if it lists the characters that the text was read with; else null. */
export function metaNextTo({ chars }: Tokenization, config: DataConfig): string | null {
  const { input_mode, data_path, train_bin } = config;
  const data = input_mode === 'text' ? data_path && findTextFiles(data_path).folder : train_bin && dirname(train_bin);
  const file = join(data ?? '', 'meta.pkl');
  if (chars === undefined || !data || !existsSync(file)) return null;
  return readMeta(file).characters.join() === chars.join() ? file : null;
}

function unknownCharacters(): UserError {
  return new UserError({
    code: 'meta_file',
    message: localized('characters.unknown'),
    hint: localized('characters.give_meta_path'),
    field: 'meta_path',
  });
}

/** @throws UserError `tokenization_mismatch` */
export function mustFit(model: Tokenization, text: Tokenization): void {
  if (model.method !== text.method)
    throw mismatch(localized('tokens.dataset_method', { text: text.method, model: model.method }));
  // A model of another program may have room for more tokens than its tokenizer has.
  const fits =
    model.method === 'pretrained' ? text.vocab_size <= model.vocab_size : text.vocab_size === model.vocab_size;
  if (!fits) {
    throw mismatch(localized('tokens.vocabulary_size', { text: text.vocab_size, model: model.vocab_size }));
  }
  // A model of another program may not list its characters: only their number is known.
  if (!model.chars || !text.chars) return;
  const place = model.chars.findIndex((character, id) => text.chars?.[id] !== character);
  if (place < 0) return;
  const [theirs, ours] = [text.chars[place], model.chars[place]].map((character) => JSON.stringify(character));
  throw mismatch(localized('tokens.other_token', { id: place, text: theirs, model: ours }));
}

function mismatch(why: Message): UserError {
  return new UserError({
    code: 'tokenization_mismatch',
    message: localized('tokens.mismatch', { why }),
    hint: localized('tokens.use_models'),
    field: 'tokenization',
  });
}

function opened(data: OpenData, context: JobContext): OpenText {
  for (const note of data.notes) context.emit(notice('data', note, 'warning'));
  const { train, val, tokenizer, metaPath, tokenizerPath, close } = data;
  return { train, val, tokenizer, tokenization: tokenizationOf(tokenizer, tokenizerPath), metaPath, close };
}

/** The default prompt: a new line, as in nanoGPT, or the model's first character if it has none. */
export const beginning = (chars: readonly string[] | undefined): string =>
  chars === undefined || chars.includes('\n') ? '\n' : (chars[0] ?? '\n');
