/** The beginning of a text in tokens, where tokens are parts of characters. */
import { expect, it } from 'vitest';
import { piecesOf } from '../../../main/jobs/commands/preview.js';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';

it('a character that is cut into several tokens is shown once, by the first of them', async () => {
  const { encode, decode } = await loadBpeTokenizer();
  const text = 'Plain, 你好 龘, 🐋 and on';
  const ids = encode(text);
  const pieces = piecesOf(ids, decode);
  expect(pieces.map(({ id }) => id)).toEqual([...ids]);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(JSON.stringify(pieces)).not.toContain('\ufffd');
  expect(pieces.find((piece) => piece.text.includes('龘'))?.part).toBe(true);
  expect(pieces.find((piece) => piece.text === 'Plain')?.part).toBeUndefined();
  const cut = piecesOf(encode('龘').subarray(0, 1), decode);
  expect(cut).toEqual([{ id: encode('龘')[0], text: '', part: true }]);
});
