/**
 * Chooses the tokenization of a text by its size, its number of distinct characters, and the model, if neither the user nor a file
 * next to it decides. Measured at equal processor time. Pure.
 */
import { count, localized, type Message } from '../messages/message.js';
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
  readonly reason: Message;
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
  const characterCount = count(characters);
  if (characters < FEW_CHARACTERS) {
    const reason = localized('tokens.suited.few', {
      method: localized('tokens.method.char'),
      characters: characterCount,
    });
    return { method: 'char', reason };
  }
  if (characters >= LARGE_TEXT && n_layer * n_embd >= LARGE_MODEL && distinct < MANY_SIGNS) {
    const reason = localized('tokens.suited.large', {
      method: localized('tokens.method.bpe'),
      characters: characterCount,
    });
    return { method: 'bpe', reason };
  }
  const method = localized('tokens.method.learned');
  if (distinct >= MANY_SIGNS) {
    const reason = localized('tokens.suited.signs', { method, distinct: count(distinct) });
    return { method: 'learned', vocab: TOKENS_OF_SIGNS, reason };
  }
  return { method: 'learned', vocab: LEARNED_TOKENS, reason: localized('tokens.suited.small', { method }) };
}
