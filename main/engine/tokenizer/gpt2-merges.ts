/**
 * GPT-2's vocabulary as its own vocab.json and merges.txt have it: the table of bpe.ts lists tokens by rank alone, and which
 * two are joined to make each follows from it.
 */
import { BPE_VOCABULARY, END_OF_TEXT } from './bpe.js';
import { characterOfByte, type WrittenVocabulary } from './byte-alphabet.js';
import { mergePairs } from './byte-pairs.js';
import { createTokenTable } from './token-table.js';

/** Takes half a second, as every token is made once. */
export async function gpt2Vocabulary(): Promise<WrittenVocabulary> {
  const { default: ranked } = await import('gpt-tokenizer/bpeRanks/r50k_base');
  const table = createTokenTable(ranked, [END_OF_TEXT]);
  const bytes = Array.from({ length: BPE_VOCABULARY - 1 }, (_, id) => table.bytesOf(id) ?? new Uint8Array(0));
  const tokens = bytes.map((each) => Array.from(each, (byte) => characterOfByte[byte] ?? '').join(''));
  const merges: (readonly [string, string])[] = [];
  bytes.forEach((each, id) => {
    if (each.length < 2) return;
    /** Only what is joined before this token is. */
    const join = (left: number, right: number): number => {
      const rank = table.join(left, right);
      return rank < id ? rank : -1;
    };
    const begin = Array.from(each, (byte) => table.ofByte[byte] ?? 0);
    const [left = 0, right = 0] = mergePairs(begin, begin.length, { join, made: null });
    merges.push([tokens[left] ?? '', tokens[right] ?? '']);
  });
  return { tokens: [...tokens, END_OF_TEXT], merges };
}
