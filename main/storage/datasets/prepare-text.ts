/**
 * Makes train.bin, val.bin and meta.pkl as nanoGPT's prepare.py does: splits by characters, then encodes each part; and
 * opens them again (specification 2.2). All checks happen before training.
 */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { count, localized, type Message } from '../../../shared/messages/message.js';
import {
  bytesPerId,
  type CharacterCensus,
  type CharTokenizer,
  createCharTokenizer,
  loadBpeTokenizer,
  nameCharacter,
  type TokenizationMethod,
  type Tokenizer,
} from '../../engine/tokenizer/index.js';
import { requireBlock } from '../../engine/train/dataset.js';
import type { TokenSource } from '../../engine/types.js';
import { writeMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { requireSpace } from '../disk/disk.js';
import { fileSize } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';
import { type StagedFile, stageFile } from '../disk/staged.js';
import { describeFolder, describeHeldOut, findTexts, onlyReadable } from '../texts/list/list-texts.js';
import { describeInputs } from '../texts/read-texts.js';
import { openTokenFile, tokenHeader } from './token-files.js';
import {
  checkVocabulary,
  cutsOf,
  encodeParts,
  pretrainedFor,
  reasonOf,
  type Source,
  stopIfRequested,
  takeCensus,
  type TokenizeOptions,
  trainedOf,
} from './tokenize.js';
import { chooseFor, loadTokenizer, readMeta, TOKENIZER, type TokenizationOptions } from './tokenizer-files.js';

export interface PrepareOptions extends TokenizeOptions {
  readonly dataPath: string;
  readonly trainSplit: number;
  readonly outDir: string;
  /** If known: both parts must hold a block of this many tokens and one more. */
  readonly blockSize?: number | undefined;
}

interface PreparedData {
  readonly trainPath: string;
  readonly valPath: string;
  /** Vocabulary of a character-level dataset; null for others. */
  readonly metaPath: string | null;
  /** tokenizer.json of a dataset in a pretrained model's tokens; null for others. */
  readonly tokenizerPath: string | null;
  readonly tokenizer: Tokenizer;
  readonly method: TokenizationMethod;
  readonly reason: Message;
  readonly trainTokens: number;
  readonly valTokens: number;
  readonly notes: readonly Message[];
  readonly input: Message;
}

export interface OpenData extends PreparedData {
  readonly train: TokenSource;
  readonly val: TokenSource;
  close(): void;
}

/** Opens and checks a dataset; `close` it. @throws UserError `file_not_found`, `binary_file`, `meta_file` */
export async function openBinaryData(
  options: TokenizationOptions & { readonly trainBin: string; readonly valBin: string },
): Promise<OpenData> {
  const { trainBin, valBin } = options;
  // Before the vocabulary, so that a wrong path is named first.
  openTokenFile(trainBin, { split: 'train' }).close();
  openTokenFile(valBin, { split: 'val' }).close();
  const { method, metaPath, tokenizerPath = null, reason } = chooseFor(path.dirname(trainBin), options);
  const tokenizer = await loadTokenizer({ method, metaPath, tokenizerPath });
  const { vocabSize } = tokenizer;
  const train = openTokenFile(trainBin, { split: 'train', vocabSize });
  try {
    const val = openTokenFile(valBin, { split: 'val', vocabSize });
    return {
      trainPath: trainBin,
      valPath: valBin,
      metaPath,
      tokenizerPath,
      tokenizer,
      method,
      reason,
      trainTokens: train.length,
      valTokens: val.length,
      notes: [train.note, val.note].filter((note) => note !== null),
      input: localized('texts.token_files'),
      train,
      val,
      close() {
        train.close();
        val.close();
      },
    };
  } catch (error) {
    train.close();
    throw error;
  }
}

/** Makes a dataset from a text, completely or not at all. @throws UserError for an unusable text; `disk_full` */
export async function prepareText(options: PrepareOptions): Promise<PreparedData> {
  const { outDir, trainSplit } = options;
  const found = findTexts(options.dataPath, options);
  const { folder } = found;
  const mayLearn = ['learned', 'shared', 'suited'].includes(options.tokenization);
  // Reports a missing or damaged tokenizer before the text is read.
  const early = chooseFor(folder, options);
  const given = early.method === 'char' && early.metaPath !== null ? readMeta(early.metaPath) : null;

  const whole =
    found.whole && (await onlyReadable(folder, found.whole, options.textField, () => stopIfRequested(options)));
  const files = whole?.files ?? found.files;
  const named = files.length === 1 ? String(files[0]) : options.dataPath;
  const size = files.reduce((sum, file) => sum + fileSize(file), 0);
  const heldOut = files.filter((file) => found.heldOut?.includes(file));
  const source: Source = { named, files, size, readings: mayLearn ? 3 : 2, options };
  const { census, inputs, ends } = await takeCensus(source);
  const characters = census.characters();
  const choice = chooseFor(folder, options, { characters: census.count, distinct: characters.length });
  checkText(named, census, characters);
  if (given !== null) await checkVocabulary(source, characters, given);
  const cuts = cutsOf(ends, { trainSplit, held: heldOut.length, isEach: options.held_out === 'each' });
  checkSplit(census.count, trainedOf(cuts), trainSplit);
  const pretrained = choice.method === 'pretrained' ? await pretrainedFor(source, choice, cuts) : null;
  const tokenizer =
    pretrained?.tokenizer ??
    (choice.method === 'bpe' ? await loadBpeTokenizer() : (given ?? createCharTokenizer(characters)));

  const target = (name: string): string => path.join(outDir, name);
  const metaPath = choice.method === 'char' ? target('meta.pkl') : null;
  if (metaPath === null) refuseForeign(target('meta.pkl'), choice.method);
  if (choice.method === 'bpe') refuseForeign(target(TOKENIZER), choice.method);
  // Exact for char; ample for the others, of which only rare characters take more than one token.
  const width = bytesPerId(tokenizer.vocabSize);
  requireSpace(outDir, width * census.count, localized('disk.room_for_token_files'));

  const isNewFolder = onFile(outDir, 'write', () => ops.kind(outDir)) === 'none';
  const staged: StagedFile[] = [];
  const stage = (name: string): StagedFile => {
    const file = stageFile(target(name));
    staged.push(file);
    return file;
  };
  try {
    const parts = [stage('train.bin'), stage('val.bin')] as const;
    const counts = await encodeParts(source, tokenizer, cuts, census.count, parts);
    if (options.blockSize !== undefined) {
      requireBlock({ length: counts[0] }, options.blockSize, 'train');
      requireBlock({ length: counts[1] }, options.blockSize, 'val');
    }
    parts.forEach((part, i) => width === 4 && part.writeStart(tokenHeader(width, counts[i] ?? 0)));
    for (const [name, text] of Object.entries(pretrained?.files ?? {})) {
      stage(name).write(new TextEncoder().encode(text));
    }
    if (metaPath !== null) stage('meta.pkl').write(writeMetaPickle((tokenizer as CharTokenizer).characters));
    for (const file of staged) file.finish();
    for (const file of staged.reverse()) file.commit();
    return {
      trainPath: target('train.bin'),
      valPath: target('val.bin'),
      metaPath,
      tokenizerPath: pretrained === null ? null : target(TOKENIZER),
      tokenizer,
      method: choice.method,
      reason: reasonOf(choice, tokenizer.vocabSize, options.tokenization),
      trainTokens: counts[0],
      valTokens: counts[1],
      notes: [
        ...(whole === undefined ? [] : [describeFolder(folder, whole)]),
        ...(files.length < 2 ? [] : [describeHeldOut({ folder, files, heldOut }, trainSplit, options.held_out)]),
      ],
      input: describeInputs(inputs),
    };
  } catch (error) {
    for (const file of staged) file.abort();
    if (isNewFolder && ops.kind(outDir) === 'folder' && ops.list(outDir).length === 0) ops.remove(outDir);
    throw error;
  }
}

/** Requires something to learn from. @throws UserError `text_too_short`, `bad_input` */
export function checkText(
  named: string,
  census: Pick<CharacterCensus, 'count'>,
  [first, ...others]: readonly string[],
): void {
  if (others.length > 0) return;
  if (first === undefined) {
    throw new UserError({
      code: 'text_too_short',
      message: localized('texts.is_empty', { file: named }),
      hint: localized('texts.name_file_some_text_few'),
      field: 'data_path',
    });
  }
  const character = nameCharacter(first);
  throw new UserError({
    code: 'bad_input',
    message: localized('datasets.one_character', { named, character, count: count(census.count) }),
    hint: localized('datasets.there_nothing_learn_name_file'),
    field: 'data_path',
  });
}

function checkSplit(characters: number, train: number, trainSplit: number): void {
  if (train >= 1 && train < characters) return;
  throw new UserError({
    code: 'text_too_short',
    message: localized('datasets.text_characters_train_split_leaves', {
      characters,
      trainSplit,
      isTrainingEmpty: train < 1,
    }),
    hint: localized('datasets.use_longer_text_another_train'),
    field: 'train_split',
  });
}

/** Refuses a folder whose meta.pkl or tokenizer.json would misread these token files. */
function refuseForeign(file: string, method: TokenizationMethod): void {
  if (kindAt(file) === 'none') return;
  const name = path.basename(file);
  throw new UserError({
    code: 'exists',
    message: localized('datasets.folder_has_other_tokens', { file, isCharacters: name !== TOKENIZER, method }),
    hint: localized('datasets.choose_another_folder_remove_if', { name }),
    field: 'out_dir',
  });
}
