/** docs/formats.md agrees with the code: limits, metadata of a reward dataset, and the contents of a project folder. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { formatRewardMetadata } from '../../main/formats/reward-dataset.js';
import { projectPaths } from '../../main/storage/projects/project-paths.js';

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

const [, listing = ''] = /\n( {4}<project>\/[^]*?)\n\n/.exec(page) ?? [];

it('lists every place of a project, and no other', () => {
  const { cycle, folder, ...places } = projectPaths('/project');
  const names = Object.values(places).flatMap((place) => (typeof place === 'string' ? relative(folder, place) : []));
  const listed = [...listing.matchAll(/^ +(?:<project>\/)?([\w.]+)[/ ]/gm)].map(([, name = '']) => name);
  expect(new Set(listed.filter((name) => !/^reward_/.test(name)))).toEqual(new Set([...names, 'lock']));
  const { folder: ofCycle, ...inCycle } = cycle(1);
  for (const place of Object.values(inCycle)) expect(listing).toContain(relative(ofCycle, place));
});
