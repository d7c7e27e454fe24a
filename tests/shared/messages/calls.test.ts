/** Every call that formats or makes a message gives the parameters that its text names, whichever code a template selects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { globSync } from 'tinyglobby';
import { expect, it } from 'vitest';
import english from '../../../resources/locales/en.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The arguments that a text names, without the surface, which the formatter gives. */
function argumentsOf(text: string): readonly string[] {
  const names = new Set<string>();
  const visit = (element: Element): void => {
    if ([1, 2, 3, 4, 5, 6].includes(element.type) && 'value' in element) names.add(String(element.value));
    if (element.type === 8) element.children.forEach(visit);
    if (element.type === 5 || element.type === 6) {
      for (const option of Object.values(element.options)) option.value.forEach(visit);
    }
  };
  new IntlMessageFormat(text, 'en').getAst().forEach(visit);
  names.delete('surface');
  return [...names];
}

const needed = new Map(Object.entries(english).map(([code, text]) => [code, argumentsOf(text)]));

/** `t('code', { a, b: 1 })` with the names that it gives; null if they are not a literal. */
function callsIn(source: string) {
  const call = /\b(?:t|localized|format)\(\s*(['`])([\w.]+(?:\$\{[^}]*\}[\w.]*)*)\1\s*(,\s*(\{)?|\))/g;
  return [...source.matchAll(call)].map(({ 0: { length }, 2: code = '', 3: next = '', 4: literal, index }) => {
    if (next === ')') return { code, given: [] as readonly string[] };
    if (literal === undefined) return { code, given: null };
    let depth = 1;
    let [at, names] = [index + length, ''];
    for (; depth > 0 && at < source.length; at++) {
      const sign = source[at] ?? '';
      if (depth === 1) names += sign;
      depth += '{[('.includes(sign) ? 1 : ']})'.includes(sign) ? -1 : 0;
    }
    if (names.includes('...')) return { code, given: null };
    return { code, given: [...names.matchAll(/(?:^|,)\s*(\w+)\s*(?=[:,}]|$)/g)].map(([, name]) => name ?? '') };
  });
}

it('every call gives what its text names', () => {
  const files = globSync(['main/**/*.ts', 'renderer/**/*.{ts,vue}', 'shared/**/*.ts'], { cwd: root });
  const calls = files.flatMap((file) =>
    callsIn(readFileSync(join(root, file), 'utf8')).map((call) => ({ file, ...call })),
  );
  expect(calls.length).toBeGreaterThan(1000);
  const wrong = calls.flatMap(({ file, code, given }) => {
    // The type of what a template holds keeps it to texts without parameters.
    if (given === null || (given.length === 0 && code.includes('${'))) return [];
    const pattern = new RegExp(
      `^${code
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replaceAll('.', '\\.'))
        .join('\\w+')}$`,
    );
    return [...needed]
      .filter(([known]) => pattern.test(known))
      .flatMap(([known, names]) =>
        names.filter((name) => !given.includes(name)).map((name) => `${file}: ${known} needs ${name}`),
      );
  });
  expect(wrong).toEqual([]);
});
