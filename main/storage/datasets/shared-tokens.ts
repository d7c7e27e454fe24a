/** Cuts a critic's tokenizer down to the tokens that the text uses most, and maps them to the whole vocabulary. */
import { aboutField, UserError } from '../../../shared/errors.js';
import { localized } from '../../../shared/messages/message.js';
import { END_OF_TEXT } from '../../engine/tokenizer/bpe.js';
import { characterOfByte } from '../../engine/tokenizer/byte-alphabet.js';
import { subsetOf, type PairEncoding } from '../../engine/tokenizer/learned/subset.js';
import { untilChanged } from '../disk/file-stamp.js';
import {
  pretrainedFrom,
  readPretrained,
  TOKENIZER,
  tokenizerFilesAt,
  tokenizerIn,
  type PretrainedFile,
} from './tokenizer-files.js';

interface TokenizerJson {
  readonly added_tokens?: readonly { readonly id: number; readonly content: string }[];
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly (string | readonly [string, string])[];
  };
}

/** @param model folder with a tokenizer.json, or a GGUF file. @throws UserError `file_not_found`, `file_damaged`, `checkpoint` */
export async function shareTokens(model: string) {
  const { tokenizer, files } = await readPretrained(model).catch((error: unknown) => {
    throw aboutField('critic_from', error);
  });
  const json = JSON.parse(files[TOKENIZER]) as TokenizerJson;
  const whole = piecesOf(json, model);
  const counts = new Map<number, number>();
  return {
    /** Counts the tokens that a text uses. */
    add(text: string): void {
      for (const id of tokenizer.encode(text)) counts.set(id, (counts.get(id) ?? 0) + 1);
    },
    /** Cuts the tokenizer down to at most `size` tokens. @throws UserError `bad_input` if the bytes alone are more */
    finish: async (size: number): Promise<PretrainedFile> => pretrainedFrom(cutDown(json, whole, counts, size)),
  };
}

/** Maps the tokens of `own` into the vocabulary of `model`; `missing` is the first that it lacks. @throws UserError */
export function placesIn(
  model: string,
  own: string,
): { readonly places: readonly number[]; readonly missing?: string } {
  const places = new Map(tokensIn(model).map((token, id) => [token, id]));
  const found: number[] = [];
  for (const token of tokensIn(own)) {
    const place = places.get(token);
    // A hole in a vocabulary has no token, and stays one.
    if (place === undefined && token !== null) return { places: found, missing: token };
    found.push(place ?? found.length);
  }
  return { places: found };
}

const tokensIn = (given: string) => tokensAt(tokenizerIn(given) ?? given);
/** Cached, as a draft is checked at every key. */
const tokensAt = untilChanged((file) => tokensOf(JSON.parse(tokenizerFilesAt(file)[TOKENIZER]) as TokenizerJson));

function cutDown(json: TokenizerJson, whole: PairEncoding, counts: ReadonlyMap<number, number>, size: number): string {
  const ends = (json.added_tokens ?? []).filter(({ content }) => content === END_OF_TEXT);
  const always = ends.map(({ content }) => content);
  const least = characterOfByte.length + always.length;
  if (size < least) {
    throw new UserError({
      code: 'bad_input',
      message: localized('datasets.vocab_no_room_each_bytes', { size, bytes: characterOfByte.length }),
      hint: localized('datasets.use_vocab_more', { least }),
      field: 'vocab',
    });
  }
  const subset = subsetOf(whole, counts, size, always);
  const vocab = Object.fromEntries(subset.tokens.map((token, id) => [token, id]));
  const own = {
    ...json,
    added_tokens: ends.map((one) => ({ ...one, id: vocab[one.content] ?? 0 })),
    post_processor: null,
    model: { ...json.model, vocab, merges: subset.merges },
  };
  return `${JSON.stringify(own)}\n`;
}

function tokensOf({ model, added_tokens = [] }: TokenizerJson): readonly (string | null)[] {
  const tokens: (string | null)[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  return Array.from(tokens, (token) => token ?? null);
}

/** Selects bytes that every byte-level tokenizer must have; SmolLM2's lacks 21 others, which hardly any text has. */
const isOfText = (byte: number): boolean => byte === 0x0a || (byte >= 0x20 && byte <= 0xbf && byte !== 0x7f);

function piecesOf(json: TokenizerJson, model: string): PairEncoding {
  const tokens = tokensOf(json);
  const present = new Set(tokens);
  if (!characterOfByte.every((character, byte) => !isOfText(byte) || present.has(character))) {
    throw new UserError({
      code: 'checkpoint',
      message: localized('datasets.tokens_cannot_cut_down_they', { model }),
      hint: localized('datasets.give_critic_model_whose_tokenizer'),
      field: 'critic_from',
    });
  }
  const merges = json.model.merges.map((one) => (typeof one === 'string' ? one.split(' ') : one) as [string, string]);
  return { tokens, merges };
}
