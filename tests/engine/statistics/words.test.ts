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

it.each([
  ['Chinese', '我喜欢大海。他也喜欢鲸鱼，很多鲸鱼。', '他喜欢大海，他喜欢月亮。', 5 / 6],
  ['Japanese', '吾輩は猫である。名前はまだ無い。', '猫は名前である。犬は無い。', 7 / 8],
  ['Thai', 'ทะเลสงบ เรือแล่น', 'เรือ ทะเลสงบ', 1],
])('knows words of scripts without blanks: %s', (_, learned, written, expected) => {
  const tokens = createCharTokenizer([...new Set(learned + written)].sort());
  const share = shareOfKnownWords(
    [{ prompt: '', completion: written }],
    knownWords(tokensInMemory(tokens.encode(learned)), tokens),
  );
  expect(share).toBeCloseTo(expected, 9);
});

it('takes no word that the prompt began or that was not written to its end', () => {
  const share = (prompt: string, completion: string) => shareOfKnownWords([{ prompt, completion }], known);
  expect(share('The ', 'THE whale’s mobstnuck, rose ba')).toBe(3 / 4);
  expect(share('The wha', 'zzz the rose.')).toBe(1);
  expect(share('', '12, 13 …')).toBeNull();
  expect(shareOfKnownWords([], known)).toBeNull();
});
