/** What goes to people with the app stands under licences that allow it, and each is said. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { licences, licencesText } from '../../scripts/setup/licences.mjs';
import { checkout } from './helpers.js';

/** Licences that ask for no more than to be named with their text, or for the source of what was changed in their own files. */
const allowed =
  /^\(?(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|MPL-2\.0|CC0-1\.0|Unlicense|Python-2\.0)\b/;
const all = licences(checkout);

test('every package that is shipped states a licence that allows it', () => {
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(({ licence }) => !allowed.test(licence)).map(({ name, licence }) => `${name}: ${licence}`)).toEqual(
    [],
  );
});

test('the text that is shipped names every one of them', () => {
  const text = licencesText(all);
  for (const { name, version } of all) expect(text).toContain(`\n${name} ${version}: `);
  for (const name of ['vue', '@nuxt/ui', 'echarts', 'zod', '@tensorflow/tfjs']) expect(text).toContain(`\n${name} `);
});

test('docs/licences.md lists them (vitest -u writes it)', async () => {
  await expect(licencesPage()).toMatchFileSnapshot('../../docs/licences.md');
});

test('NOTICE names what is used directly', () => {
  const { dependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const notice = readFileSync(join(checkout, 'NOTICE'), 'utf8');
  for (const name of Object.keys(dependencies)) expect(notice).toContain(name);
});

/** The names by licence, as docs/licences.md shows them. */
function licencesPage(): string {
  const kinds = [...new Set(all.map(({ licence }) => licence))].sort();
  const namesOf = (kind: string) => [
    ...new Set(all.filter(({ licence }) => licence === kind).map(({ name }) => `\`${name}\``)),
  ];
  return [
    '# Licences',
    'Every package of package-lock.json that is not for development only: what the window and the trainer are built from, and' +
      ' what those packages ask for. [NOTICE](../NOTICE) says what else is used. A packaged app carries the text of every' +
      ' licence (`licences.txt`). Written by `npx vitest run tests/scripts/licences.test.ts --update`.',
    ...kinds.map((kind) => `## ${kind}\n\n${namesOf(kind).join(', ')}`),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}
