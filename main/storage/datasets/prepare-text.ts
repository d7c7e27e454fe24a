/** Makes train.bin, val.bin and meta.pkl as nanoGPT's prepare.py does: splits by characters, then encodes each part. */
import { localized } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import {
  bytesPerId,
  type CharacterCensus,
  type CharTokenizer,
  createCharTokenizer,
  loadBpeTokenizer,
  nameCharacter,
  type TokenizationMethod,
} from '../../engine/tokenizer/index.js';
import { requireBlock } from '../../engine/train/dataset.js';
import { writeMetaPickle } from '../../formats/pickle/meta-pickle.js';
import { requireSpace } from '../disk/disk.js';
import { fileSize } from '../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';
import { type StagedFile, stageFile } from '../disk/staged.js';
import { describeFolder } from '../texts/list/folder-texts.js';
import { findTextFiles } from '../texts/list/list-texts.js';
import { onlyReadable } from '../texts/list/readable-texts.js';
import { describeInputs } from '../texts/read-texts.js';
import type { PreparedData } from './binary-data.js';
import { tokenHeader } from './token-files.js';
import {
  between,
  checkVocabulary,
  encodeParts,
  pretrainedFor,
  reasonOf,
  type Source,
  takeCensus,
  type TokenizeOptions,
} from './tokenize.js';
import { chooseFor, readMeta, TOKENIZER } from './tokenizer-files.js';

export { openBinaryData, type OpenData } from './binary-data.js';
export { loadTokenizer } from './tokenizer-files.js';

export interface PrepareOptions extends TokenizeOptions {
  /** A text file, a folder of texts, or a pattern that names several files. */
  readonly dataPath: string;
  /** Share of the characters that goes to training. */
  readonly trainSplit: number;
  readonly outDir: string;
  /** If known: both parts must hold a block of this many tokens and one more. */
  readonly blockSize?: number | undefined;
}

/** Makes a dataset from a text, completely or not at all. @throws UserError for an unusable text; `disk_full` */
export async function prepareText(options: PrepareOptions): Promise<PreparedData> {
  const { outDir, trainSplit } = options;
  const found = findTextFiles(options.dataPath);
  const { folder } = found;
  const mayLearn = ['learned', 'shared', 'suited'].includes(options.tokenization);
  // Reports a missing or damaged tokenizer before the text is read.
  const early = chooseFor(folder, options);
  const given = early.method === 'char' && early.metaPath !== null ? readMeta(early.metaPath) : null;

  const whole = found.whole && (await onlyReadable(folder, found.whole, options.textField, () => between(options)));
  const files = whole?.files ?? found.files;
  const named = files.length === 1 ? String(files[0]) : options.dataPath;
  const size = files.reduce((sum, file) => sum + fileSize(file), 0);
  const source: Source = { named, files, size, readings: mayLearn ? 3 : 2, options };
  const { census, inputs } = await takeCensus(source);
  const characters = census.characters();
  const choice = chooseFor(folder, options, { characters: census.count, distinct: characters.length });
  checkText(named, census, characters);
  if (given !== null) await checkVocabulary(source, characters, given);
  const trainCharacters = Math.trunc(census.count * trainSplit);
  checkSplit(census.count, trainCharacters, trainSplit);
  const pretrained = choice.method === 'pretrained' ? await pretrainedFor(source, choice, trainCharacters) : null;
  const tokenizer =
    pretrained?.tokenizer ??
    (choice.method === 'bpe' ? await loadBpeTokenizer() : (given ?? createCharTokenizer(characters)));

  const target = (name: string): string => path.join(outDir, name);
  const metaPath = choice.method === 'char' ? target('meta.pkl') : null;
  const tokenizerPath = pretrained === null ? null : target(TOKENIZER);
  if (metaPath === null) refuseForeign(target('meta.pkl'), 'character-level', choice.method);
  if (choice.method === 'bpe') refuseForeign(target(TOKENIZER), "in a pretrained model's tokens", 'bpe');
  // Exact for char; ample for the others, where only rare characters take more than one token.
  const width = bytesPerId(tokenizer.vocabSize);
  requireSpace(outDir, width * census.count, 'the token files');

  const isNewFolder = onFile(outDir, 'write', () => ops.kind(outDir)) === 'none';
  const staged: StagedFile[] = [];
  const stage = (name: string): StagedFile => {
    const stagedFile = stageFile(target(name));
    staged.push(stagedFile);
    return stagedFile;
  };
  try {
    const parts = [stage('train.bin'), stage('val.bin')] as const;
    const counts = await encodeParts(source, tokenizer, trainCharacters, census.count, parts);
    if (options.blockSize !== undefined) {
      requireBlock({ length: counts[0] }, options.blockSize, 'training text');
      requireBlock({ length: counts[1] }, options.blockSize, 'held-out text');
    }
    parts.forEach((part, i) => width === 4 && part.writeStart(tokenHeader(width, counts[i] ?? 0)));
    for (const [name, text] of Object.entries(pretrained?.files ?? {}))
      stage(name).write(new TextEncoder().encode(text));
    if (metaPath !== null) stage('meta.pkl').write(writeMetaPickle((tokenizer as CharTokenizer).characters));
    for (const stagedFile of staged) stagedFile.finish();
    for (const stagedFile of staged.reverse()) stagedFile.commit();
    return {
      trainPath: target('train.bin'),
      valPath: target('val.bin'),
      metaPath,
      tokenizerPath,
      tokenizer,
      method: choice.method,
      reason: reasonOf(choice, tokenizer.vocabSize, options.tokenization),
      trainTokens: counts[0],
      valTokens: counts[1],
      notes: whole === undefined ? [] : [describeFolder(folder, whole)],
      input: describeInputs(inputs),
    };
  } catch (error) {
    for (const stagedFile of staged) stagedFile.abort();
    if (isNewFolder && ops.kind(outDir) === 'folder' && ops.list(outDir).length === 0) ops.remove(outDir);
    throw error;
  }
}

/** There must be something to learn. @throws UserError `text_too_short`, `bad_input` */
export function checkText(
  named: string,
  { count }: Pick<CharacterCensus, 'count'>,
  characters: readonly string[],
): void {
  const only = characters[0];
  if (only === undefined) {
    throw new UserError({
      code: 'text_too_short',
      message: localized('datasets.is_empty', { named }),
      hint: localized('datasets.name_file_some_text_few'),
      field: 'data_path',
    });
  }
  if (characters.length > 1) return;
  throw new UserError({
    code: 'bad_input',
    message: localized('datasets.holds_nothing_but_character_times', {
      named,
      nameCharacter: nameCharacter(only),
      count: count.toLocaleString('en-US'),
    }),
    hint: localized('datasets.there_nothing_learn_name_file'),
    field: 'data_path',
  });
}

function checkSplit(count: number, trainCharacters: number, trainSplit: number): void {
  if (trainCharacters >= 1 && trainCharacters < count) return;
  throw new UserError({
    code: 'text_too_short',
    message: localized('datasets.text_characters_train_split_leaves', {
      count,
      trainSplit,
      isTrainCharacters: trainCharacters < 1,
    }),
    hint: localized('datasets.use_longer_text_another_train'),
    field: 'train_split',
  });
}

/** Refuses a folder whose meta.pkl or tokenizer.json would misread these token files. */
function refuseForeign(file: string, says: string, method: TokenizationMethod): void {
  if (kindAt(file) === 'none') return;
  throw new UserError({
    code: 'exists',
    message: localized('datasets.says_data_beside_but_tokens', { file, says, method }),
    hint: localized('datasets.choose_another_folder_remove_if', { basename: path.basename(file) }),
    field: 'out_dir',
  });
}
