/** Tokenizes a text piece by piece: counts characters, finds or learns the tokenizer, encodes both parts. */
import { LEARNED_TOKENS } from '../../../shared/config/data.js';
import { SHARED_TOKENS } from '../../../shared/config/scoring-models.js';
import { UserError } from '../../../shared/errors.js';
import { count, localized, type Message } from '../../../shared/messages/message.js';
import {
  bytesPerId,
  CharacterCensus,
  type CharTokenizer,
  characterOffset,
  countCharacters,
  PieceCensus,
  positionOf,
  type TextPosition,
  textStart,
  type TokenizationChoice,
  type Tokenizer,
  unknownCharacter,
} from '../../engine/tokenizer/index.js';
import type { TokenIds } from '../../engine/types.js';
import type { StagedFile } from '../disk/staged.js';
import type { PartChoice } from '../texts/list/parts.js';
import { type InputFacts, readTexts, type TextPiece } from '../texts/read-texts.js';
import { shareTokens } from './shared-tokens.js';
import { tokenBytes, tokenHeader } from './token-files.js';
import { learnTokenizer, type PretrainedFile, readPretrained, type TokenizationOptions } from './tokenizer-files.js';

export interface TokenizeOptions extends TokenizationOptions, PartChoice {
  /** Field of JSON Lines and column of Parquet files that holds the text. */
  readonly textField?: string | undefined;
  /** Number of tokens that are learned or shared, if they are. */
  readonly vocab?: number | undefined;
  /** Model that tokens are shared with, if they are: a folder or a GGUF file. */
  readonly shareWith?: string | undefined;
  /** Receives how many of the files' bytes are done; each reading counts alike. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly stop?: { readonly requested: boolean } | undefined;
}

export interface Source {
  readonly named: string;
  readonly files: readonly string[];
  readonly size: number;
  readonly readings: number;
  readonly options: TokenizeOptions;
}

const textOf = ({ files, options }: Source, onFile?: (facts: InputFacts) => void): AsyncGenerator<TextPiece> =>
  readTexts(files, { textField: options.textField, keep: options.keep, ...(onFile ? { onFile } : {}) });

/** Counts characters; `ends` has their number up to the end of each file. */
export async function takeCensus(source: Source) {
  const census = new CharacterCensus();
  const inputs: InputFacts[] = [];
  const ends: number[] = [];
  const onFile = (facts: InputFacts) => {
    inputs.push(facts);
    ends.push(census.count);
  };
  for await (const { text, bytesRead } of textOf(source, onFile)) {
    census.add(text);
    await step(source, 0, bytesRead);
  }
  return { census, inputs, ends };
}

/**
 * Returns where training and held-out text take turns, in characters.
 * @param ends of the files
 * @property held number of files that are held out, the last ones; else the end of all the text or of each file is
 */
export function cutsOf(
  ends: readonly number[],
  { trainSplit, held, isEach }: { readonly trainSplit: number; readonly held: number; readonly isEach: boolean },
): readonly number[] {
  if (held > 0) return [ends.at(-held - 1) ?? 0];
  const texts = isEach ? ends : ends.slice(-1);
  const cutIn = (begin: number, end: number) => begin + Math.trunc((end - begin) * trainSplit);
  return texts.flatMap((end, i) => [cutIn(texts[i - 1] ?? 0, end), end]).slice(0, -1);
}

/** Counts the characters to train on. */
export const trainedOf = (cuts: readonly number[]): number =>
  cuts.reduce((sum, cut, at) => sum + (at % 2 === 0 ? cut : -cut), 0);

/** Yields the text, divided where training (0) and held-out text (1) take turns. */
async function* dividedText(source: Source, cuts: readonly number[]) {
  let [seen, at] = [0, 0];
  for await (const { text, bytesRead } of textOf(source)) {
    for (let rest = text; rest !== '';) {
      const left = (cuts[at] ?? Infinity) - seen;
      const all = countCharacters(rest);
      const isEnd = all >= left;
      const offset = isEnd ? characterOffset(rest, left) : rest.length;
      const characters = Math.min(all, left);
      yield { text: rest.slice(0, offset), part: (at % 2) as 0 | 1, isEnd, characters, bytesRead };
      seen += characters;
      if (isEnd) at++;
      rest = rest.slice(offset);
    }
  }
}

/** Characters of a long text that decide which tokens it shares. */
const MOST_COUNTED = 4_000_000;

/** Reads the chosen tokenizer, or makes it from the training part alone: the held-out part stays unseen. */
export async function pretrainedFor(
  source: Source,
  choice: TokenizationChoice,
  cuts: readonly number[],
): Promise<PretrainedFile> {
  const { vocab, shareWith } = source.options;
  if (choice.isShared) {
    const shared = await shareTokens(shareWith ?? '');
    await readInto(shared, source, cuts, MOST_COUNTED);
    return shared.finish(vocab ?? SHARED_TOKENS);
  }
  if (!choice.isLearned) return readPretrained(choice.tokenizerPath ?? null);
  const census = new PieceCensus();
  await readInto(census, source, cuts, Infinity);
  return learnTokenizer(census.finish(), vocab ?? choice.vocab ?? LEARNED_TOKENS, () => step(source, 2, 0));
}

async function readInto(
  into: { add(text: string): void },
  source: Source,
  cuts: readonly number[],
  mostCharacters: number,
): Promise<void> {
  let left = Math.min(mostCharacters, trainedOf(cuts));
  for await (const { text, part, characters, bytesRead } of dividedText(source, cuts)) {
    if (part === 1) continue;
    into.add(characters <= left ? text : text.slice(0, characterOffset(text, left)));
    left -= Math.min(left, characters);
    await step(source, 1, bytesRead);
    if (left === 0) break;
  }
}

/** Encodes both parts into their files, and returns the number of tokens of each. */
export async function encodeParts(
  source: Source,
  tokenizer: Tokenizer,
  cuts: readonly number[],
  allCharacters: number,
  parts: readonly [StagedFile, StagedFile],
): Promise<readonly [train: number, val: number]> {
  const counts: [number, number] = [0, 0];
  const width = bytesPerId(tokenizer.vocabSize);
  const put = (part: 0 | 1, ids: TokenIds): void => {
    counts[part] += ids.length;
    parts[part].write(tokenBytes(ids, width));
  };
  for (const part of parts) part.write(tokenHeader(width, 0));
  const encoder = tokenizer.createEncoder();
  let seen = 0;
  for await (const { text, part, isEnd, characters, bytesRead } of dividedText(source, cuts)) {
    // Pieces of different files do not run together.
    put(part, encoder.push(isEnd && cuts.length > 1 ? `${text}\n` : text));
    if (isEnd) put(part, encoder.flush());
    seen += characters;
    await step(source, source.readings - 1, bytesRead);
  }
  put(1, encoder.flush());
  if (seen === allCharacters) return counts;
  throw new UserError({
    code: 'file_damaged',
    message: localized('datasets.changed_while_being_read', { named: source.named }),
    hint: localized('datasets.wait_until_nothing_writes_any'),
    field: 'data_path',
  });
}

async function step({ size, readings, options }: Source, finished: number, bytesRead: number): Promise<void> {
  options.onProgress?.(Math.floor((finished * size + bytesRead) / readings), size);
  await stopIfRequested(options);
}

/** Lets signals in, and throws `stopped` on request. */
export async function stopIfRequested({ stop }: TokenizeOptions): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (stop?.requested !== true) return;
  throw new UserError({
    code: 'stopped',
    message: localized('datasets.stopped_while_preparing_text_nothing'),
    hint: localized('datasets.run_same_command_again_prepare'),
  });
}

export function reasonOf(
  { isLearned, isShared, reason }: TokenizationChoice,
  size: number,
  requested: TokenizationOptions['tokenization'],
): Message {
  const tokens = count(size);
  if (isShared) return localized('tokens.reason.shared', { tokens });
  if (!isLearned) return reason;
  return localized('tokens.reason.learned', { tokens, reason: requested === 'learned' ? null : reason });
}

/** Refuses a character that the vocabulary lacks, with its position, before anything is written. */
export async function checkVocabulary(
  source: Source,
  characters: readonly string[],
  vocabulary: CharTokenizer,
): Promise<void> {
  const known = new Set(vocabulary.characters);
  const unknown = new Set(characters.filter((character) => !known.has(character)));
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
