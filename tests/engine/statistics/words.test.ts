/** Which written words occur in the training text. */
import { expect, it } from 'vitest';
import { knownWords, shareOfKnownWords } from '../../../main/engine/statistics/words.js';
import { createCharTokenizer } from '../../../main/engine/tokenizer/index.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';

const text = 'The whale’s back rose. Don’t look at the Größe of it, 3 times; l’été.';
const tokenizer = createCharTokenizer([...new Set(text)].sort());
const known = knownWords(tokensInMemory(tokenizer.encode(text)), tokenizer);

it('knows words in any case, with apostrophes inside', () => {
  expect([...known].sort()).toEqual(
    ['the', "whale's", 'back', 'rose', "don't", 'look', 'at', 'größe', 'of', 'it', 'times', "l'été"].sort(),
  );
});

it('takes no word that the prompt began or that was not written to its end', () => {
  const share = (prompt: string, completion: string) => shareOfKnownWords([{ prompt, completion }], known);
  expect(share('The ', 'THE whale’s mobstnuck, rose ba')).toBe(3 / 4);
  expect(share('The wha', 'zzz the rose.')).toBe(1);
  expect(share('', '12, 13 …')).toBeNull();
  expect(shareOfKnownWords([], known)).toBeNull();
});
