/** Every language has every code, with the same parameters; codes of the sources exist, and those of the catalogue are used. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { readCatalogues } from '../../../main/installation/locales.mjs';

const root = join(import.meta.dirname, '../../..');
const read = (language: string) =>
  JSON.parse(readFileSync(join(root, `resources/locales/${language}.json`), 'utf8')) as Readonly<
    Record<string, string>
  >;
const english = read('en');

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The arguments and tags that a text names. */
function namesIn(text: string, language: string): readonly string[] {
  const names = new Set<string>();
  const visit = (element: Element): void => {
    if (element.type !== 0 && element.type !== 7) names.add(element.value);
    if (element.type === 8) element.children.forEach(visit);
    if (element.type === 5 || element.type === 6) {
      for (const option of Object.values(element.options)) option.value.forEach(visit);
    }
  };
  new IntlMessageFormat(text, language).getAst().forEach(visit);
  return [...names].sort();
}

describe.each(Object.keys(readCatalogues()).filter((language) => language !== 'en'))(
  'the catalogue of %s',
  (language) => {
    const texts = read(language);

    it('has the codes of English and no others', () => {
      expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    });

    it('has valid messages with the parameters of English', () => {
      const odd = Object.keys(english).filter(
        (code) => namesIn(texts[code] ?? '', language).join() !== namesIn(english[code] ?? '', 'en').join(),
      );
      expect(odd).toEqual([]);
    });

    it('is empty where English is', () => {
      expect(Object.keys(english).filter((code) => (english[code] === '') !== (texts[code] === ''))).toEqual([]);
    });
  },
);

it('German has German quotation marks, and large numbers in groups', () => {
  // Examples of HTML and JSON have marks of their own.
  const texts = Object.entries(read('de')).map(
    ([code, text]) => [code, text.replaceAll(/'<'[^>]*>|'\{'.*'\}'|WINDOWS-1252/g, '')] as const,
  );
  expect(texts.filter(([, text]) => /["”]/.test(text) || /(^|[\s(])“/.test(text))).toEqual([]);
  expect(texts.filter(([, text]) => /(?<![\d.,:])(?!(?:19|20)\d\d\b)\d{4,}(?!\d)/.test(text))).toEqual([]);
});

it('every code of the catalogue is used: as it is, or by a template that begins like it', () => {
  const sources = globSync(['main/**/*.{ts,mjs}', 'renderer/**/*.{ts,vue}', 'shared/**/*.ts'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const literals = new Set([...sources.matchAll(/['"`]([\w.]+)['"`]/g)].map(([, code]) => code));
  const templates = [...sources.matchAll(/`((?:[\w.]|\$\{[^}]*\})+)`/g)]
    .map(([, text]) => text ?? '')
    .filter((text) => text.includes('${') && /^[a-z]\w*\./.test(text))
    .map((text) => new RegExp(`^${text.replaceAll('.', String.raw`\.`).replaceAll(/\$\{[^}]*\}/g, String.raw`\w+`)}$`));
  const isUsed = (code: string) => literals.has(code) || templates.some((template) => template.test(code));
  // Those of settings and options are named by the schemas' keys.
  expect(Object.keys(english).filter((code) => !/^(setting|option)\./.test(code) && !isUsed(code))).toEqual([]);
});
