/**
 * A loss of a text in the units that people compare: nats per token and perplexity, which depend on what a token is, and
 * nats per character and bits per byte, which do not (as The Pile's authors compare models, Gao et al. 2020, section 3.1).
 * The one place that computes them. All four are the same sum: −log p of the tokens that were predicted, over how many
 * tokens these are, how many characters and how many bytes. The first token of a text, or of a passage of it, is predicted
 * by nobody and counts in none of them.
 */
import type { TextLoss } from '../../../shared/reports/report.js';
import type { TokenLengths } from '../tokenizer/token-lengths.js';

export interface TextLength {
  /** Unicode code points. */
  readonly characters: number;
  /** Of UTF-8. */
  readonly bytes: number;
}

/**
 * @param nats the sum of −log p over `tokens` tokens
 * @param text the length of those very tokens; null where no tokenizer is known, and nothing is said by character or byte
 */
export function textLoss(nats: number, tokens: number, text: TextLength | null): TextLoss & { readonly loss: number } {
  const loss = nats / tokens;
  const perToken = { loss, perplexity: Math.exp(loss) };
  // Tokens that stand for no text, as a tokenizer of another text might have it, are no measure.
  if (text === null || text.characters === 0 || text.bytes === 0) return perToken;
  return {
    ...perToken,
    nats_per_character: nats / text.characters,
    bits_per_byte: nats / (text.bytes * Math.LN2),
  };
}

/** How much text some tokens are. Null without `lengths`. @param weights those of weight 0 are left out */
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

/** Of both together. */
export const addLengths = (a: TextLength | null, b: TextLength | null): TextLength | null =>
  a && b && { characters: a.characters + b.characters, bytes: a.bytes + b.bytes };
