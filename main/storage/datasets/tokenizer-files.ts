/** Tokenizers as files give them: a meta.pkl, a tokenizer.json, a GGUF file; and which of them belongs to a dataset. */
import { localized } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import type { ModelSize, TextSize } from '../../../shared/config/suited-tokens.js';
import { tokenizerConfigOf, tokenizerJsonOf } from '../../formats/gguf/gguf-tokenizer.js';
import { openGguf } from '../../formats/gguf/gguf.js';
import { learnedTokenizerJson } from '../../formats/tokenizer/byte-level-json.js';
import { MAX_TOKENIZER_JSON } from '../../formats/tokenizer/limits.js';
import { readMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { MAX_PICKLE } from '../../formats/pickle/pickle.js';
import {
  type CharTokenizer,
  chooseTokenization,
  createCharTokenizer,
  createPretrainedTokenizer,
  learnMerges,
  loadBpeTokenizer,
  type PretrainedTokenizer,
  type TokenizationChoice,
  type TokenizationMethod,
  type Tokenizer,
  type WantedTokenization,
} from '../../engine/tokenizer/index.js';
import { firstBytes } from '../../formats/byte-source.js';
import { readSmall, readText, withFile } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';

/** Loads a tokenizer. @throws UserError `meta_file` if a character-level one has no readable meta.pkl */
export async function loadTokenizer(info: {
  readonly method: TokenizationMethod;
  readonly metaPath?: string | null | undefined;
  readonly tokenizerPath?: string | null | undefined;
}): Promise<Tokenizer> {
  if (info.method === 'bpe') return loadBpeTokenizer();
  if (info.method === 'pretrained') return (await readPretrained(info.tokenizerPath ?? null)).tokenizer;
  const metaPath = info.metaPath ?? null;
  if (metaPath === null) {
    throw new UserError({
      code: 'meta_file',
      message: localized('datasets.meta_path_required_when_tokenization'),
      hint: localized('datasets.specify_meta_path_when_using'),
      field: 'meta_path',
    });
  }
  return readMeta(metaPath);
}

/** Chooses the tokenizer from settings and folder. @param text for `suited`, if known. @throws UserError `file_not_readable` */
export function chooseFor(
  folder: string,
  options: TokenizationOptions,
  text: TextSize | null = null,
): TokenizationChoice {
  const beside = (name: string): string | null => {
    const file = path.join(folder, name);
    return kindAt(file) === 'file' ? file : null;
  };
  return chooseTokenization({
    ...options,
    text,
    folderName: path.basename(path.resolve(folder)),
    metaInFolder: beside('meta.pkl'),
    tokenizerInFolder: beside(TOKENIZER),
  });
}

export interface TokenizationOptions {
  readonly tokenization: WantedTokenization;
  readonly metaPath?: string | undefined;
  /** A tokenizer.json, the folder that holds it, or a GGUF file. */
  readonly tokenizerPath?: string | undefined;
  readonly model?: ModelSize | undefined;
}

export const TOKENIZER = 'tokenizer.json';

export interface PretrainedFile {
  readonly tokenizer: PretrainedTokenizer;
  /** It as tokenizer.json, with what belongs to it: to be kept with what it was used for, by their names. */
  readonly files: TokenizerFiles;
}

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
  const file = kindAt(given) === 'folder' ? path.join(given, TOKENIZER) : given;
  if (kindAt(file) !== 'file') {
    throw new UserError({
      code: 'file_not_found',
      message: localized('datasets.tokenizer_found', { file }),
      hint: localized('datasets.name_tokenizer_json_folder_holds'),
      field: 'tokenizer_path',
    });
  }
  // The library that translates patterns is only loaded where there are any.
  const { readTokenizerJson } = await import('../../formats/tokenizer/tokenizer-json.js');
  const files = tokenizerFilesAt(file);
  return { tokenizer: createPretrainedTokenizer(readTokenizerJson(files[TOKENIZER], file)), files };
}

/** Texts by name: tokenizer.json, and of its companions those that there are. */
export type TokenizerFiles = Readonly<Record<string, string>> & { readonly [TOKENIZER]: string };

/** What a Hugging Face folder says besides about its tokens, and about how it is meant to write. */
const companions = ['tokenizer_config.json', 'generation_config.json'];
/** A hundred times the longest chat template. */
const MAX_COMPANION = 1 << 22;

/** A tokenizer.json with its companions, or the tokenizer of a GGUF file as such. @throws UserError `file_damaged`, `checkpoint` */
export function tokenizerFilesAt(file: string): TokenizerFiles {
  if (isGguf(file)) {
    return withFile(file, (source) => {
      const { metadata } = openGguf(source, file);
      return { [TOKENIZER]: tokenizerJsonOf(metadata, file), 'tokenizer_config.json': tokenizerConfigOf(metadata) };
    });
  }
  const files = { [TOKENIZER]: readText(file, ops, MAX_TOKENIZER_JSON) };
  const folder = path.dirname(file);
  const beside = companions.map((name) => path.join(folder, name)).filter((companion) => kindAt(companion) === 'file');
  const texts = beside.map((companion) => [path.basename(companion), readText(companion, ops, MAX_COMPANION)]);
  return { ...files, ...Object.fromEntries(texts) };
}

/** The tokenizer that the pieces of a text teach. @param between as in `learnMerges` */
export async function learnTokenizer(
  pieces: ReadonlyMap<string, number>,
  vocab: number,
  between?: (tokens: number) => Promise<void>,
): Promise<PretrainedFile> {
  const { readTokenizerJson } = await import('../../formats/tokenizer/tokenizer-json.js');
  const json = learnedTokenizerJson(await learnMerges(pieces, vocab, between));
  return { tokenizer: createPretrainedTokenizer(readTokenizerJson(json, TOKENIZER)), files: { [TOKENIZER]: json } };
}

export const isGguf = (file: string): boolean =>
  withFile(file, (source) => firstBytes(source, 4).toString('latin1') === 'GGUF');

/** The tokenizer whose vocabulary is in a meta.pkl. @throws UserError `meta_file` */
export function readMeta(metaPath: string): CharTokenizer {
  if (kindAt(metaPath) !== 'file') {
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
    if (error instanceof UserError && error.code === 'file_damaged') {
      throw new UserError({ ...error.toFault(), code: 'meta_file', field: 'meta_path' }, { cause: error });
    }
    if (!(error instanceof UserError) || error.code !== 'meta_file') throw error;
    throw new UserError(
      { ...error.toFault(), message: localized('datasets.text', { metaPath, message: error.message }) },
      { cause: error },
    );
  }
}
