/**
 * GPT-2's byte-pair encoding: 50,257 ids, the last of which ends a document. The tokens are gpt-tokenizer's (a test checks the hash of
 * OpenAI's r50k_base). Own code encodes, since tiktoken (WASM) takes 2.6 times as long and is quadratic without breaks, and
 * gpt-tokenizer is as slow and splits U+FEFF and U+0085 differently.
 */
import { characterOfByte, type WrittenVocabulary } from './byte-alphabet.js';
import { mergePairs, type PairVocabulary } from './byte-pairs.js';
import { idsByText, writtenAsBytes } from './piece-encoder.js';
import { lastSafeCut } from './pretokenize.js';
import { createPretrainedTokenizer, unchanged } from './pretrained.js';
import type { Tokenizer } from './types.js';

export const BPE_VOCABULARY = 50257;
export const END_OF_TEXT = '<|endoftext|>';

let tokenizer: Promise<Tokenizer> | undefined;

/** Loads the tokenizer with its table of half a megabyte, once. */
export function loadBpeTokenizer(): Promise<Tokenizer> {
  tokenizer ??= loadTokens().then((ranked) => {
    const tokens = [...ranked, END_OF_TEXT];
    const none = new Int32Array(0);
    const spec = {
      tokens,
      merges: { left: none, right: none, made: none },
      alphabet: 'bytes' as const,
      fallsBackToBytes: false,
      unknown: null,
      joinsUnknown: false,
      takesWhole: false,
      cutsLikeGpt2: true,
      addedTokens: [],
      prefix: null,
      normalize: unchanged,
      writesBlanks: false,
      cuts: [],
    };
    return {
      ...createPretrainedTokenizer(spec, createRankTable(ranked), lastSafeCut),
      method: 'bpe',
      special: [ranked.length],
    };
  });
  return tokenizer;
}

/** The tokens in the order of their ids, in the alphabet of byte-level vocabularies. */
async function loadTokens(): Promise<readonly string[]> {
  const { default: ranked } = await import('gpt-tokenizer/bpeRanks/r50k_base');
  return ranked.map((token) =>
    typeof token === 'string' ? writtenAsBytes(token) : token.map((byte) => characterOfByte[byte]).join(''),
  );
}

/** In GPT-2's table the rank of a pair is the id of the joint text. Cached, one pair per slot; ids must fit into 16 bits. */
export function createRankTable(tokens: readonly string[]): PairVocabulary {
  const ids = idsByText(tokens);
  const [pairs, ranks] = [new Int32Array(1 << 17).fill(-1), new Int32Array(1 << 17)];
  return {
    made: null,
    join(left, right) {
      const pair = (left << 16) | right;
      const slot = Math.imul(pair, 0x9e3779b1) >>> 15;
      if (pairs[slot] !== pair) {
        pairs[slot] = pair;
        ranks[slot] = ids.get((tokens[left] ?? '') + (tokens[right] ?? '')) ?? -1;
      }
      return ranks[slot] ?? -1;
    },
  };
}

/** GPT-2's vocabulary as in its vocab.json and merges.txt; takes half a second. */
export async function gpt2Vocabulary(): Promise<WrittenVocabulary> {
  const tokens = await loadTokens();
  const ids = idsByText(tokens);
  const table = createRankTable(tokens);
  const merges = tokens.flatMap((token, id): (readonly [string, string])[] => {
    if (token.length < 2) return [];
    // Only merges before this token.
    const join = (left: number, right: number): number => {
      const rank = table.join(left, right);
      return rank < id ? rank : -1;
    };
    const bytes = Array.from(token, (character) => ids.get(character) ?? 0);
    const [left = 0, right = 0] = mergePairs(bytes, bytes.length, { join, made: null });
    return [[tokens[left] ?? '', tokens[right] ?? '']];
  });
  return { tokens: [...tokens, END_OF_TEXT], merges };
}
