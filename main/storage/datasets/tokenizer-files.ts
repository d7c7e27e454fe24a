/** Reads tokenizers (a meta.pkl, a tokenizer.json, a GGUF file) and finds the one that belongs to a dataset. */
import * as path from 'node:path';
import type { ModelSize, TextSize } from '../../../shared/config/suited-tokens.js';
import { UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import {
  type CharTokenizer,
  chooseTokenization,
  createCharTokenizer,
  createPretrainedTokenizer,
  learnMerges,
  loadBpeTokenizer,
  type TokenizationChoice,
  type TokenizationMethod,
  type Tokenizer,
  type WantedTokenization,
} from '../../engine/tokenizer/index.js';
import { firstBytes } from '../../formats/byte-source.js';
import { tokenizerConfigOf, tokenizerJsonOf } from '../../formats/gguf/gguf-tokenizer.js';
import { openGguf } from '../../formats/gguf/gguf.js';
import { readMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { MAX_PICKLE } from '../../formats/pickle/pickle.js';
import { learnedTokenizerJson } from '../../formats/tokenizer/byte-level-json.js';
import { tokenizerOfSentencePiece, tokenizerOfVocabulary, withinRows } from '../../formats/gguf/hugging-face-files.js';
import { MAX_TOKENIZER_JSON } from '../../formats/tokenizer/limits.js';
import { fieldsOf } from '../../formats/tokenizer/special-tokens.js';
import { readSmall, readText, withFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';

export const TOKENIZER = 'tokenizer.json';
/** Files that hold a tokenizer, the most complete first. */
const VOCABULARY = 'vocab.json';
const tokenizerNames = [TOKENIZER, 'tokenizer.model', VOCABULARY] as const;
/** Files of a Hugging Face folder about its tokens and its sampling. */
const companions = ['tokenizer_config.json', 'generation_config.json'];
/** Those that complete a tokenizer without a tokenizer.json. */
const parts = ['merges.txt', 'added_tokens.json', 'config.json'];
const MAX_COMPANION = 1 << 22;

export interface TokenizationOptions {
  readonly tokenization: WantedTokenization;
  readonly metaPath?: string | undefined;
  /** A tokenizer.json, the folder that holds it, or a GGUF file. */
  readonly tokenizerPath?: string | undefined;
  readonly model?: ModelSize | undefined;
}

/** Texts by name: tokenizer.json, and those of its companions that exist. */
export type TokenizerFiles = Readonly<Record<string, string>> & { readonly [TOKENIZER]: string };

export interface PretrainedFile {
  readonly tokenizer: Tokenizer;
  /** Stored with whatever uses the tokenizer. */
  readonly files: TokenizerFiles;
}

const isFile = (file: string): boolean => kindAt(file) === 'file';

/** Returns the file that holds a folder's tokenizer, or the given file itself; null if there is none. */
export const tokenizerIn = (given: string): string | null =>
  [given, ...tokenizerNames.map((name) => path.join(given, name))].find(isFile) ?? null;

export async function loadTokenizer(info: {
  readonly method: TokenizationMethod;
  readonly metaPath?: string | null | undefined;
  readonly tokenizerPath?: string | null | undefined;
}): Promise<Tokenizer> {
  if (info.method === 'bpe') return loadBpeTokenizer();
  if (info.method === 'pretrained') return (await readPretrained(info.tokenizerPath ?? null)).tokenizer;
  if (typeof info.metaPath === 'string') return readMeta(info.metaPath);
  throw new UserError({
    code: 'meta_file',
    message: localized('datasets.meta_path_required_when_tokenization'),
    hint: localized('datasets.specify_meta_path_when_using'),
    field: 'meta_path',
  });
}

/** Chooses the tokenizer from settings and folder. @param text for `suited`, if known. @throws UserError `file_not_readable` */
export function chooseFor(
  folder: string,
  options: TokenizationOptions,
  text: TextSize | null = null,
): TokenizationChoice {
  const inFolder = (name: string): string | null => (isFile(path.join(folder, name)) ? path.join(folder, name) : null);
  return chooseTokenization({
    ...options,
    text,
    folderName: path.basename(path.resolve(folder)),
    metaInFolder: inFolder('meta.pkl'),
    tokenizerInFolder: inFolder(TOKENIZER),
  });
}

/** Makes a tokenizer from files; loads the library that translates patterns on first use. */
async function pretrained(files: TokenizerFiles, name: string): Promise<PretrainedFile> {
  const { readTokenizerJson } = await import('../../formats/tokenizer/tokenizer-json.js');
  return { tokenizer: createPretrainedTokenizer(readTokenizerJson(files[TOKENIZER], name)), files };
}

export const pretrainedFrom = (json: string): Promise<PretrainedFile> => pretrained({ [TOKENIZER]: json }, TOKENIZER);

/** Reads a tokenizer.json, its folder or a GGUF file. @throws UserError `bad_input`, `file_not_found`, `file_damaged`, `checkpoint` */
export async function readPretrained(given: string | null): Promise<PretrainedFile> {
  if (given === null) {
    throw new UserError({
      code: 'bad_input',
      message: localized('datasets.tokenizer_path_required_when_tokenization'),
      hint: localized('datasets.give_tokenizer_path_tokenizer_json'),
      field: 'tokenizer_path',
    });
  }
  const file = tokenizerIn(given);
  if (file !== null) return pretrained(tokenizerFilesAt(file), file);
  throw new UserError({
    code: 'file_not_found',
    message: localized('datasets.tokenizer_found', { file: given }),
    hint: localized('datasets.name_tokenizer_json_folder_holds'),
    field: 'tokenizer_path',
  });
}

/** Reads a tokenizer with its companions as a tokenizer.json. @param onLeft receives the number of tokens without a row. @throws UserError `file_damaged`, `checkpoint` */
export function tokenizerFilesAt(file: string, onLeft?: (tokens: number) => void): TokenizerFiles {
  if (isGguf(file)) {
    return withFile(file, (source) => {
      const { metadata } = openGguf(source, file);
      return { [TOKENIZER]: tokenizerJsonOf(metadata, file), 'tokenizer_config.json': tokenizerConfigOf(metadata) };
    });
  }
  const textsOf = (names: readonly string[]): Record<string, string> => {
    const found = names.map((name) => path.join(path.dirname(file), name)).filter(isFile);
    return Object.fromEntries(found.map((each) => [path.basename(each), readText(each, ops, MAX_COMPANION)]));
  };
  const companionTexts = textsOf(companions);
  const json = tokenizerJsonAt(file, () => ({ ...companionTexts, ...textsOf(parts) }));
  const { vocab_size: rows } = fieldsOf(textsOf(['config.json'])['config.json']);
  const { json: within, left } = withinRows(json, typeof rows === 'number' ? rows : Infinity);
  if (left > 0) onLeft?.(left);
  return { ...companionTexts, [TOKENIZER]: within };
}

function tokenizerJsonAt(file: string, others: () => Readonly<Record<string, string>>): string {
  const name = path.basename(file);
  if (name.endsWith('.model')) return tokenizerOfSentencePiece(readSmall(file, MAX_TOKENIZER_JSON), others(), file);
  const text = readText(file, ops, MAX_TOKENIZER_JSON);
  return name === VOCABULARY ? tokenizerOfVocabulary({ ...others(), [VOCABULARY]: text }, file) : text;
}

export const learnTokenizer = async (
  pieces: ReadonlyMap<string, number>,
  vocab: number,
  between?: (tokens: number) => Promise<void>,
): Promise<PretrainedFile> => pretrainedFrom(learnedTokenizerJson(await learnMerges(pieces, vocab, between)));

export const isGguf = (file: string): boolean =>
  withFile(file, (source) => firstBytes(source, 4).toString('latin1') === 'GGUF');

/** Reads the tokenizer whose vocabulary is in a meta.pkl. @throws UserError `meta_file` */
export function readMeta(metaPath: string): CharTokenizer {
  if (!isFile(metaPath)) {
    throw new UserError({
      code: 'meta_file',
      message: localized('datasets.meta_file_found', { metaPath }),
      hint: localized('datasets.use_tokenization_auto_finds_meta'),
      field: 'meta_path',
    });
  }
  try {
    return createCharTokenizer(readMetaPickle(readSmall(metaPath, MAX_PICKLE)));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const fault = error.toFault();
    if (fault.code === 'file_damaged') {
      throw new UserError({ ...fault, code: 'meta_file', field: 'meta_path' }, { cause: error });
    }
    if (fault.code !== 'meta_file') throw error;
    const message = localized('datasets.meta_file_fault', { metaPath, message: error.message });
    throw new UserError({ ...fault, message }, { cause: error });
  }
}
