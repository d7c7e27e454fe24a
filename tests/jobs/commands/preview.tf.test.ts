/** A preview: the beginning of a text in tokens, where tokens are parts of characters, and what was left out of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { piecesOf, previewJob } from '../../../main/jobs/commands/preview.js';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { previewCommandShape } from '../../../shared/config/commands.js';
import type { Message } from '../../../shared/messages/message.js';
import { inEnglish } from '../../support/messages.js';
import { temporaryFolder, testContext } from '../context.js';

it('warns of files of a folder that cannot be read, by their names', async () => {
  const data_path = join(temporaryFolder(), 'texts');
  mkdirSync(data_path);
  writeFileSync(join(data_path, 'one.txt'), 'Call me Ishmael. Some years ago, never mind how long.\n'.repeat(50));
  writeFileSync(join(data_path, 'two.epub'), 'PK');
  writeFileSync(join(data_path, '~$owner.docx'), 'who has it open');
  const given = z.object(previewCommandShape).parse({ data_path, preset: 'nano', device: 'cpu', threads: 1 });
  const { warnings } = (await previewJob(given, testContext().context)) as unknown as {
    readonly warnings: readonly { readonly code: string; readonly message: Message }[];
  };
  const left = warnings.filter(({ code }) => code === 'left_out').map(({ message }) => inEnglish(message));
  expect(left).toEqual([
    expect.stringMatching(/^Not everything can be read: two\.epub is not a readable EPUB(?!.*owner)/),
  ]);
});

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
