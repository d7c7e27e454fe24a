/**
 * Chooses the tokenization of a text by its size, its number of distinct characters, and the model, if neither the user nor a file
 * next to it decides. Measured at equal processor time. Pure.
 */
import { LEARNED_TOKENS } from './data.js';

export interface TextSize {
  readonly characters: number;
  /** How many different ones there are. */
  readonly distinct: number;
}

/** What it depends on of a model; left out, it is small. */
export interface ModelSize {
  readonly n_layer?: number;
  readonly n_embd?: number;
}

interface SuitedTokens {
  readonly method: 'char' | 'learned' | 'bpe';
  /** Of learned tokens, how many. */
  readonly vocab?: number;
  /** In words, after "because". */
  readonly reason: string;
}

/** Below this a text has too few words for pieces of it to be learned. */
const FEW_CHARACTERS = 10_000;
/** More than any alphabet has: a script of signs for words or syllables, of which a piece is about one. */
const MANY_SIGNS = 1000;
/** Of a large text, GPT-2's pieces cost a model no more than a half of its weights from this on. */
const LARGE_TEXT = 50_000_000;
const LARGE_MODEL = 12 * 768;
/** More would take a tiny model longer than a quarter of an hour. */
const TOKENS_OF_SIGNS = 2048;

export function suitedTokens(
  { characters, distinct }: TextSize,
  { n_layer = 4, n_embd = 128 }: ModelSize,
): SuitedTokens {
  const told = characters.toLocaleString('en-US');
  if (characters < FEW_CHARACTERS) {
    return { method: 'char', reason: `${told} characters are too few to learn longer pieces from` };
  }
  if (characters >= LARGE_TEXT && n_layer * n_embd >= LARGE_MODEL && distinct < MANY_SIGNS) {
    return { method: 'bpe', reason: `${told} characters and a model of this size have use for all of GPT-2’s pieces` };
  }
  if (distinct >= MANY_SIGNS) {
    const reason = `it has ${distinct.toLocaleString('en-US')} different characters, of which most are rare`;
    return { method: 'learned', vocab: TOKENS_OF_SIGNS, reason };
  }
  const reason = 'a small model writes in pieces learned from its text better than in characters or in GPT-2’s pieces';
  return { method: 'learned', vocab: LEARNED_TOKENS, reason };
}
