/**
 * The loss of a text in four units: nats per token and perplexity, which depend on the tokens, and nats per character and
 * bits per byte, which do not (The Pile, Gao et al. 2020, section 3.1). All are one sum, −log p of the predicted tokens, over their
 * number, characters or bytes. The first token of a passage is not predicted and never counts.
 */
import type { TextLoss } from '../../../shared/reports/report.js';
import type { TokenLengths } from '../tokenizer/token-lengths.js';

export interface TextLength {
  /** Unicode code points. */
  readonly characters: number;
  /** Bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * @param nats sum of −log p over `tokens` tokens
 * @param text length of those tokens; null without a tokenizer: the loss is by token only
 */
export function textLoss(nats: number, tokens: number, text: TextLength | null): TextLoss & { readonly loss: number } {
  const loss = nats / tokens;
  const perToken = { loss, perplexity: Math.exp(loss) };
  // The tokens may have no text, as with the tokenizer of another text.
  if (text === null || text.characters === 0 || text.bytes === 0) return perToken;
  return {
    ...perToken,
    nats_per_character: nats / text.characters,
    bits_per_byte: nats / (text.bytes * Math.LN2),
  };
}

/** Measures the text of some tokens; null without `lengths`. @param weights tokens of weight 0 do not count */
export function textLength(
  lengths: TokenLengths | null,
  ids: ArrayLike<number>,
  weights?: ArrayLike<number>,
): TextLength | null {
  if (lengths === null) return null;
  let [characters, bytes] = [0, 0];
  for (let i = 0; i < ids.length; i++) {
    if (weights && weights[i] === 0) continue;
    const id = ids[i] ?? 0;
    characters += lengths.characters[id] ?? 0;
    bytes += lengths.bytes[id] ?? 0;
  }
  return { characters, bytes };
}

export const addLengths = (a: TextLength | null, b: TextLength | null): TextLength | null =>
  a && b && { characters: a.characters + b.characters, bytes: a.bytes + b.bytes };
