/** Holds the pre-tokenizer patterns of known families, as written for Oniguruma; their time is linear in the text. */

/** Llama 3's and Qwen's, which differ in the number of digits in a piece. */
const wordsAnd = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

export const LLAMA3 = wordsAnd('\\p{N}{1,3}');
/** Of Qwen 2 and 3. */
export const QWEN2 = wordsAnd('\\p{N}');
/** nanochat/tokenizer.py, SPLIT_PATTERN. */
export const NANOCHAT =
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,2}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";

const known: ReadonlySet<string> = new Set([LLAMA3, QWEN2, NANOCHAT]);

export const isKnownPattern = (pattern: string): boolean => known.has(pattern);
