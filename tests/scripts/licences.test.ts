/** The app's packages have licences that allow shipping them, and each is named. */
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

test('NOTICE names what is used directly', () => {
  const { dependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const notice = readFileSync(join(checkout, 'NOTICE'), 'utf8');
  for (const name of Object.keys(dependencies)) expect(notice).toContain(name);
});
