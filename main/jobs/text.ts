/**
 * The text of a command as two token sources, training and held out: prepared from a text file, or opened as it was
 * prepared before. A model that is already there decides how its text is tokenized; anything else is an error.
 */
import { count, localized } from '../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../shared/errors.js';
import type { DataConfig } from '../../shared/config/data.js';
import type { ModelSize } from '../../shared/config/suited-tokens.js';
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
import { criticModelFolder } from './initial-critic.js';
import type { JobContext } from './types.js';

export interface OpenText {
  readonly train: TokenSource;
  readonly val: TokenSource;
  readonly tokenizer: Tokenizer;
  readonly tokenization: Tokenization;
  readonly metaPath: string | null;
  close(): void;
}

/** The files that a text comes from, for telling whether they have changed. */
export function textInputs(config: DataConfig): string[] {
  const { input_mode, data_path, train_bin, val_bin, meta_path, tokenizer_path, tokenization } = config;
  const texts = input_mode === 'text' && data_path !== undefined ? findTextFiles(data_path).files : [];
  const tokens = input_mode === 'text' ? [] : [train_bin, val_bin];
  const given = [...texts, ...tokens, tokenization === 'bpe' ? undefined : meta_path, tokenizer_path];
  return given.filter((path) => path !== undefined);
}

/** The tokenizer that a model was trained with. */
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

/** The size of the model may decide how its text is cut, and the critic with which it is shared. */
type TrainingText = DataConfig & ModelSize & { readonly critic_from?: string | undefined };

interface TrainingTextOptions {
  readonly blockSize?: number;
  readonly keepBinary?: boolean;
  /** How the text of the model that training begins from was tokenized. */
  readonly as?: Tokenization | undefined;
}

/**
 * For training: the text decides the tokenizer, or the model that training begins from.
 * @param folder where the prepared text is kept
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

  const [trainBin, valBin, metaFile] = ['train.bin', 'val.bin', 'meta.pkl'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  if (!existsSync(trainBin) || !existsSync(valBin)) {
    if (input_mode === 'binary') {
      const data = await openBinaryData(given);
      data.close();
      if (data.metaPath !== null) copyFileAtomic(data.metaPath, metaFile);
      if (data.tokenizerPath !== null) {
        const { files } = await readPretrained(data.tokenizerPath);
        for (const [name, text] of Object.entries(files)) writeFileAtomic(join(folder, name), text);
      }
      copyFileAtomic(data.valPath, valBin);
      copyFileAtomic(data.trainPath, trainBin);
    } else await prepare(config, folder, context, options.blockSize);
  }
  const { method, ...files } = tokenizerBeside(folder);
  return opened(await openBinaryData({ trainBin, valBin, tokenization: method, ...files }), context);
}

/** How the text that is prepared in a folder became its tokens. */
function tokenizerBeside(folder: string) {
  const [metaPath, tokenizerPath] = [join(folder, 'meta.pkl'), join(folder, TOKENIZER)];
  if (existsSync(metaPath)) return { method: 'char', metaPath } as const;
  return existsSync(tokenizerPath) ? ({ method: 'pretrained', tokenizerPath } as const) : ({ method: 'bpe' } as const);
}

/** The same for a model that is kept with it. @throws UserError `meta_file`, `file_damaged` */
export async function tokenizationIn(folder: string): Promise<Tokenization> {
  const beside = tokenizerBeside(folder);
  const tokenizerPath = beside.method === 'pretrained' ? beside.tokenizerPath : null;
  return tokenizationOf(await loadTokenizer(beside), tokenizerPath);
}

async function prepare(config: TrainingText, outDir: string, context: JobContext, blockSize: number | undefined) {
  const { data_path: dataPath = '', tokenization, train_split: trainSplit } = config;
  const { meta_path: metaPath, tokenizer_path: tokenizerPath } = config;
  const { files } = findTextFiles(dataPath);
  const named = files.length === 1 ? files[0] : `${dataPath} (${files.length} files)`;
  context.emit({ event: 'phase', phase: 'prepare', state: 'started', message: `Preparing the text: ${named}` });
  const onProgress = byteProgress(context);
  const { stop } = context;
  const prepared = await prepareText({
    dataPath,
    textField: config.text_field,
    tokenization,
    metaPath,
    tokenizerPath,
    vocab: config.vocab,
    shareWith: criticModelFolder(config) ?? undefined,
    model: config,
    trainSplit,
    outDir,
    blockSize,
    onProgress,
    stop,
  });
  const { trainTokens, valTokens, reason, input, notes } = prepared;
  for (const note of notes) context.emit({ event: 'notice', level: 'info', code: 'data', message: note });
  const counts = { train: count(trainTokens), held: count(valTokens) };
  const message = localized('tokens.prepared', { ...counts, input, reason });
  context.emit({ event: 'phase', phase: 'prepare', state: 'finished', message });
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

const isUndecided = (tokenization: DataConfig['tokenization']): boolean =>
  tokenization === 'auto' || tokenization === 'suited';

/** A text's settings, with a model's own vocabulary, so that a text that lacks some of its characters still fits. */
function tokenizedAs(model: Tokenization, config: TrainingText) {
  const { method, chars, tokenizerPath = config.tokenizer_path } = model;
  if (!isUndecided(config.tokenization) && config.tokenization !== method) {
    throw mismatch(`the model was trained with '${method}' but '${config.tokenization}' was asked for`);
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

/** For using a model: the text must be tokenized as the model’s was. What is prepared for it goes when it is closed. */
export async function openTextFor(model: Tokenization, config: DataConfig, context: JobContext): Promise<OpenText> {
  const { path: folder, remove } = makeTemporaryFolder('text');
  try {
    // The person has not asked for a preparation: only how far it is, no announcements.
    const quiet: JobContext = {
      ...context,
      emit: (event) => (event.event === 'phase' ? undefined : context.emit(event)),
    };
    const text = await openTrainingText(config, folder, quiet, { as: model });
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

/** The meta.pkl in the folder of a text, when it lists the characters that the text was read with; else null. */
export function metaBeside({ chars }: Tokenization, config: DataConfig): string | null {
  const { input_mode, data_path, train_bin } = config;
  const data = input_mode === 'text' ? data_path && findTextFiles(data_path).folder : train_bin && dirname(train_bin);
  const file = join(data ?? '', 'meta.pkl');
  if (chars === undefined || !data || !existsSync(file)) return null;
  return readMeta(file).characters.join() === chars.join() ? file : null;
}

function unknownCharacters(): UserError {
  return new UserError({
    code: 'meta_file',
    message: localized('characters.needs_meta_path'),
    hint: localized('characters.give_meta_path'),
    field: 'meta_path',
  });
}

/** @throws UserError `tokenization_mismatch` */
export function mustFit(model: Tokenization, text: Tokenization): void {
  if (model.method !== text.method)
    throw mismatch(`dataset uses '${text.method}' but the model expects '${model.method}'`);
  // A model of another program may have room for more tokens than its tokenizer has.
  const fits =
    model.method === 'pretrained' ? text.vocab_size <= model.vocab_size : text.vocab_size === model.vocab_size;
  if (!fits) {
    throw mismatch(`the text has a vocabulary of ${text.vocab_size}, the model one of ${model.vocab_size}`);
  }
  // A model of another program may not list its characters; then their number must do.
  if (!model.chars || !text.chars) return;
  const place = model.chars.findIndex((character, id) => text.chars?.[id] !== character);
  if (place >= 0) {
    const [theirs, ours] = [text.chars?.[place], model.chars?.[place]];
    throw mismatch(`token ${place} is ${JSON.stringify(theirs)} in the text and ${JSON.stringify(ours)} in the model`);
  }
}

function mismatch(why: string): UserError {
  return new UserError({
    code: 'tokenization_mismatch',
    message: localized('tokens.mismatch', { why }),
    hint: localized('tokens.use_models'),
    field: 'tokenization',
  });
}

function opened(data: OpenData, context: JobContext): OpenText {
  for (const message of data.notes) context.emit({ event: 'notice', level: 'warning', code: 'data', message });
  const { train, val, tokenizer, metaPath, tokenizerPath, close } = data;
  return { train, val, tokenizer, tokenization: tokenizationOf(tokenizer, tokenizerPath), metaPath, close };
}
