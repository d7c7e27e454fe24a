/**
 * From a text to train.bin, val.bin and meta.pkl, as nanoGPT's prepare.py makes them: the text is split by characters
 * before anything else, then each part is encoded. The text is read twice, a piece at a time: first to count its
 * characters and collect the vocabulary, then to encode, so that its size does not matter; once more between the two
 * where tokens are learned from its training part.
 */
import * as path from 'node:path';
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import { SHARED_TOKENS } from '../../../shared/config/scoring-models.js';
import { UserError } from '../../../shared/errors.js';
import { say, setting } from '../../../shared/sentence.js';
import { requireBlock } from '../../engine/train/dataset.js';
import { writeMetaPickle } from '../../formats/pickle/meta-pickle.js';
import {
  bytesPerId,
  CharacterCensus,
  type CharTokenizer,
  characterOffset,
  countCharacters,
  createCharTokenizer,
  loadBpeTokenizer,
  nameCharacter,
  PieceCensus,
  positionOf,
  type TextPosition,
  textStart,
  type TokenizationChoice,
  type TokenizationMethod,
  type Tokenizer,
  unknownCharacter,
} from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import { requireSpace } from '../disk/disk.js';
import { fileSize } from '../disk/file-bytes.js';
import { onFile } from '../../../shared/file-errors.js';
import { kindAt, nodeFileOperations as ops } from '../disk/file-operations.js';
import { type StagedFile, stageFile } from '../disk/staged.js';
import { describeFolder } from '../texts/folder-texts.js';
import { onlyReadable } from '../texts/readable-texts.js';
import { findTextFiles } from '../texts/text-files.js';
import { describeInputs, type InputFacts, readTexts, type TextPiece } from '../texts/text-input.js';
import type { PreparedData } from './binary-data.js';
import { shareTokens } from './shared-tokens.js';
import { tokenBytes, tokenHeader } from './token-files.js';
import {
  chooseFor,
  learnTokenizer,
  type PretrainedFile,
  readMeta,
  readPretrained,
  TOKENIZER,
  type TokenizationOptions,
} from './tokenizer-files.js';

export { openBinaryData, type OpenData } from './binary-data.js';
export { loadTokenizer } from './tokenizer-files.js';

export interface PrepareOptions extends TokenizationOptions {
  /** A text file, a folder of texts, or a pattern that names several files. */
  readonly dataPath: string;
  /** The field of JSON Lines and the column of Parquet files that holds the text. */
  readonly textField?: string | undefined;
  /** How many tokens are learned or shared, where they are. */
  readonly vocab?: number | undefined;
  /** The model that tokens are shared with, where they are: a folder or a GGUF file. */
  readonly shareWith?: string | undefined;
  /** Share of the characters that goes to training. */
  readonly trainSplit: number;
  /** Where train.bin, val.bin and meta.pkl go. */
  readonly outDir: string;
  /** When known: both parts must hold a block of this many tokens and one more. */
  readonly blockSize?: number | undefined;
  /** How many of the file's bytes are done; reading them a first time counts half. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Looked at between pieces. */
  readonly stop?: { readonly requested: boolean } | undefined;
}

/**
 * Makes a dataset from a text. Either all files are written or none.
 * @throws UserError for a text that cannot be read, is not text, is too short, does not fit the vocabulary; `disk_full`
 */
export async function prepareText(options: PrepareOptions): Promise<PreparedData> {
  const { outDir, trainSplit } = options;
  const found = findTextFiles(options.dataPath);
  const { folder } = found;
  const mayLearn = ['learned', 'shared', 'suited'].includes(options.tokenization);
  // What is missing or damaged beside the text is told before it is read.
  const beside = chooseFor(folder, options);
  const given = beside.method === 'char' && beside.metaPath !== null ? readMeta(beside.metaPath) : null;

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

function reasonOf(choice: TokenizationChoice, count: number, asked: TokenizationOptions['tokenization']): string {
  const { isLearned, isShared, reason } = choice;
  if (isShared) return `${count.toLocaleString('en-US')} of the tokens that the critic knows`;
  if (!isLearned) return reason;
  const words = `${count.toLocaleString('en-US')} tokens learned from it`;
  return asked === 'learned' ? words : `${words}: ${reason}`;
}

/** A tokenizer that is there, or one that the training part of the text makes. */
function pretrainedFor(source: Source, choice: TokenizationChoice, trainCharacters: number): Promise<PretrainedFile> {
  const { vocab, shareWith } = source.options;
  if (choice.isShared) return shareFrom(source, trainCharacters, shareWith, vocab ?? SHARED_TOKENS);
  if (choice.isLearned) return learnFrom(source, trainCharacters, vocab ?? choice.vocab ?? LEARNED_TOKENS);
  return readPretrained(choice.tokenizerPath ?? null);
}

/** The files to read, and what to read them with. */
interface Source {
  /** What messages call the text. */
  readonly named: string;
  readonly files: readonly string[];
  /** Of all the files, in bytes. */
  readonly size: number;
  /** How often they are read. */
  readonly readings: number;
  readonly options: PrepareOptions;
}

const textOf = ({ files, options }: Source, onFile?: (facts: InputFacts) => void): AsyncGenerator<TextPiece> =>
  readTexts(files, { textField: options.textField, ...(onFile ? { onFile } : {}) });

async function takeCensus(source: Source): Promise<{ census: CharacterCensus; inputs: readonly InputFacts[] }> {
  const census = new CharacterCensus();
  const inputs: InputFacts[] = [];
  for await (const { text, bytesRead } of textOf(source, (facts) => inputs.push(facts))) {
    census.add(text);
    await step(source, 0, bytesRead);
  }
  return { census, inputs };
}

/** Tokens learned from the training part alone: what is held out stays unseen. */
async function learnFrom(source: Source, trainCharacters: number, vocab: number): Promise<PretrainedFile> {
  const census = new PieceCensus();
  await readInto(census, source, trainCharacters);
  return learnTokenizer(census.finish(), vocab, () => step(source, 2, 0));
}

/** So much of a long text tells which tokens it uses. */
const MOST_COUNTED = 4_000_000;

/** Of another model's tokens those that the training part, or its beginning, uses most. */
async function shareFrom(source: Source, trainCharacters: number, model: string | undefined, vocab: number) {
  const shared = await shareTokens(model ?? '');
  await readInto(shared, source, Math.min(trainCharacters, MOST_COUNTED));
  return shared.finish(vocab);
}

async function readInto(into: { add(text: string): void }, source: Source, mostCharacters: number): Promise<void> {
  let left = mostCharacters;
  for await (const { text, bytesRead } of textOf(source)) {
    const characters = countCharacters(text);
    into.add(characters <= left ? text : text.slice(0, characterOffset(text, left)));
    left -= Math.min(left, characters);
    await step(source, 1, bytesRead);
    if (left === 0) break;
  }
}

/** Encodes the two parts into their files and returns how many tokens each has. */
async function encodeParts(
  source: Source,
  tokenizer: Tokenizer,
  trainCharacters: number,
  allCharacters: number,
  parts: readonly [StagedFile, StagedFile],
): Promise<readonly [train: number, val: number]> {
  const counts: [number, number] = [0, 0];
  const width = bytesPerId(tokenizer.vocabSize);
  const put = (part: 0 | 1, ids: TokenIds): void => {
    counts[part] += ids.length;
    parts[part].write(tokenBytes(ids, width));
  };
  // The room of the header, which says how many tokens there are.
  for (const part of parts) part.write(tokenHeader(width, 0));
  const encoder = tokenizer.createEncoder();
  const { named, readings } = source;
  let seen = 0;
  for await (const { text, bytesRead } of textOf(source)) {
    const characters = countCharacters(text);
    if (seen + characters < trainCharacters) {
      put(0, encoder.push(text));
    } else if (seen >= trainCharacters) {
      put(1, encoder.push(text));
    } else {
      const cut = characterOffset(text, trainCharacters - seen);
      put(0, encoder.push(text.slice(0, cut)));
      put(0, encoder.flush());
      put(1, encoder.push(text.slice(cut)));
    }
    seen += characters;
    await step(source, readings - 1, bytesRead);
  }
  put(1, encoder.flush());
  if (seen !== allCharacters) {
    throw new UserError({
      code: 'file_damaged',
      message: `${named} changed while it was being read`,
      hint: 'Wait until nothing writes to it any more, and try again.',
      field: 'data_path',
    });
  }
  return counts;
}

/** Tells how far it is, lets signals in, and stops when that was asked for. */
async function step({ size, readings, options }: Source, finished: number, bytesRead: number): Promise<void> {
  options.onProgress?.(Math.floor((finished * size + bytesRead) / readings), size);
  await between(options);
}

/** Lets signals in, and stops when that was asked for. */
async function between({ stop }: PrepareOptions): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (stop?.requested !== true) return;
  throw new UserError({
    code: 'stopped',
    message: 'Stopped while preparing the text; nothing was written',
    hint: 'Run the same command again to prepare it.',
  });
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
      message: `${named} is empty`,
      hint: 'Name a file with some text in it; a few hundred kilobytes is a good beginning.',
      field: 'data_path',
    });
  }
  if (characters.length > 1) return;
  throw new UserError({
    code: 'bad_input',
    message: `${named} holds nothing but the character ${nameCharacter(only)}, ${count.toLocaleString('en-US')} times`,
    hint: 'There is nothing to learn from it; name a file with ordinary text.',
    field: 'data_path',
  });
}

/** Finds a character that the given vocabulary lacks, and where it stands, before anything is written. */
async function checkVocabulary(
  source: Source,
  characters: readonly string[],
  { characters: known }: CharTokenizer,
): Promise<void> {
  const inVocabulary = new Set(known);
  const unknown = new Set(characters.filter((character) => !inVocabulary.has(character)));
  if (unknown.size === 0) return;
  let at: TextPosition = textStart;
  for await (const { text } of textOf(source)) {
    let offset = 0;
    for (const character of text) {
      if (unknown.has(character)) throw unknownCharacter(character, positionOf(text, offset, at));
      offset += character.length;
    }
    at = positionOf(text, text.length, at);
  }
}

function checkSplit(count: number, trainCharacters: number, trainSplit: number): void {
  if (trainCharacters >= 1 && trainCharacters < count) return;
  throw new UserError({
    code: 'text_too_short',
    message: say`The text has ${count} characters, so a ${setting('train_split')} of ${trainSplit} leaves ${trainCharacters < 1 ? 'nothing to train on' : 'nothing held out'}`,
    hint: say`Use a longer text, or another ${setting('train_split')}.`,
    field: 'train_split',
  });
}

/** Beside a meta.pkl, other token files would be taken for characters; so it is with a tokenizer.json. */
function refuseForeign(file: string, says: string, method: TokenizationMethod): void {
  if (kindAt(file) === 'none') return;
  throw new UserError({
    code: 'exists',
    message: `${file} says that the data beside it is ${says}, but ${method} tokens were to be written there`,
    hint: `Choose another folder, or remove this ${path.basename(file)} if it is not needed any more.`,
    field: 'out_dir',
  });
}
