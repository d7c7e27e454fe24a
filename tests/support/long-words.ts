/**
 * A text of words of forty characters, each one token. Samples have 500 characters, whose writing takes most of the time of a small
 * project: here thirteen steps instead of 500, and a vocabulary this small keeps the other steps quick.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const words = 'the whale sea and ship of a captain wind call me upon'
  .split(' ')
  .map((word) => `${word.repeat(Math.ceil(39 / word.length))} `);

export const longWords = (count: number): string =>
  Array.from({ length: count }, (_, i) => words[(i * i + 3 * i + (i >> 3)) % words.length]).join('');

const tokenizer = {
  added_tokens: words.map((content, at) => ({ id: at + 1, content })),
  model: { type: 'BPE', vocab: { '.': 0 }, merges: [] },
};

/** Writes such a text and its tokenizer into a folder. @returns the settings of a project that uses them */
export function writeLongWords(folder: string, count = 300) {
  const [data_path, tokenizer_path] = [join(folder, 'input.txt'), join(folder, 'tokenizer.json')];
  writeFileSync(data_path, longWords(count));
  writeFileSync(tokenizer_path, JSON.stringify(tokenizer));
  return { data_path, tokenizer_path, tokenization: 'pretrained' } as const;
}
