/** The beginning of a text in tokens, where tokens are parts of characters. */
import { expect, it } from 'vitest';
import { piecesOf } from '../../../main/jobs/commands/preview.js';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';

it('a character that is cut into several tokens is shown once, by the first of them', async () => {
  const tokenizer = await loadBpeTokenizer();
  const text = 'Plain, 你好 龘, 🐋 and on';
  const ids = tokenizer.encode(text);
  const pieces = piecesOf(ids, tokenizer);
  expect(pieces.map(({ id }) => id)).toEqual([...ids]);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(JSON.stringify(pieces)).not.toContain('\ufffd');
  expect(pieces.find((piece) => piece.text.includes('龘'))?.part).toBe(true);
  expect(pieces.find((piece) => piece.text === 'Plain')?.part).toBeUndefined();
  const cut = piecesOf(tokenizer.encode('龘').subarray(0, 1), tokenizer);
  expect(cut).toEqual([{ id: tokenizer.encode('龘')[0], text: '', part: true }]);
});
