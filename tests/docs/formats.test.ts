/** docs/formats.md: the limits it states are those of the code, and the metadata it shows is read. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { formatRewardMetadata } from '../../main/formats/reward-dataset.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/formats.md'), 'utf8');
const limits = [...page.matchAll(/^\| .* \| (.*) \| `(main\/.*)`: `(.*)` \|$/gm)].map(
  ([, words = '', file = '', code = '']) => ({ words, file, code }),
);

it('states limits', () => {
  expect(limits.length).toBeGreaterThan(12);
});

it.each(limits)('$code in $file', ({ words, file, code }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(`const ${code};`);
  const [, value = '', shift = '0'] = /= (\d+)(?: << (\d+))?$/.exec(code) ?? [];
  const units: Readonly<Record<string, number>> = { MiB: 2 ** 20 };
  const [, number = '', unit = ''] = /^([\d,]+) ?(\w*)/.exec(words) ?? [];
  expect(Number(number.replaceAll(',', '')) * (units[unit] ?? 1)).toBe(Number(value) * 2 ** Number(shift));
});

it('shows the metadata as it is written', () => {
  const tokenization = { method: 'char', vocabSize: 65, metaPath: 'data/shakespeare_char/meta.pkl' } as const;
  const text = formatRewardMetadata({ numSamples: 17560, blockSize: 1024, tokenization });
  for (const line of text.trimEnd().split('\n')) expect(page).toContain(`    ${line}\n`);
});
