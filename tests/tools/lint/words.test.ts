/** The lint rule for plain words finds banned words in identifiers and comments, and nowhere else (tools/lint/words.mjs). */
import { Linter } from 'eslint';
import { describe, expect, it } from 'vitest';
import vueParser from 'vue-eslint-parser';
import house, { banned, wordsOf } from '../../../tools/lint/words.mjs';

function problemsOf(code: string, filename = 'a.js', stored: string[] = []) {
  const parser = filename.endsWith('.vue') ? { languageOptions: { parser: vueParser } } : {};
  const rules = { 'house/words': ['error', { stored }] } as const;
  const config = { files: ['**/*.js', '**/*.vue'], plugins: { house }, rules, ...parser } as unknown as Linter.Config;
  return new Linter().verify(code, [config], filename).map(({ message }) => message);
}

describe('the rule for plain words', () => {
  it('splits identifiers into words', () => {
    expect(wordsOf('lastRowAt')).toEqual(['last', 'row', 'at']);
    expect(wordsOf('MAX_ROWS')).toEqual(['max', 'rows']);
    expect(wordsOf('HTMLTold')).toEqual(['html', 'told']);
  });

  it.each([...banned.keys()])('bans %s in identifiers and comments', (word) => {
    const name = `was${word[0]?.toUpperCase()}${word.slice(1)}`;
    expect(problemsOf(`export const ${name} = 1;`)).toHaveLength(1);
    expect(problemsOf(`export const ${word.toUpperCase()}_AT = 1;`)).toHaveLength(1);
    expect(problemsOf(`/** It is ${word}. */\nexport const a = 1;`)).toHaveLength(1);
  });

  it('proposes the term of the field', () => {
    expect(problemsOf('// Shown beside the chart.')).toEqual(["'beside': use the field's term (next to, along with)."]);
  });

  it('leaves parts of words, strings, regular expressions and quoted text alone', () => {
    expect(problemsOf("export const a = ['told', `told`, /told/, '// told'];")).toEqual([]);
    expect(
      problemsOf('// Masked, besides, understands; the value `told`, the word "anew".\nexport const masked = 1;'),
    ).toEqual([]);
  });

  it('leaves fields that are stored on disk alone', () => {
    expect(problemsOf('export const a = { asked: 1 };\na.asked = 2;', 'a.js', ['asked'])).toEqual([]);
    expect(problemsOf('export const asked = 1;', 'a.js', ['asked'])).toHaveLength(1);
  });

  it('reads templates and comments of components', () => {
    const component =
      '<!-- Told. -->\n<script setup>\nconst a = 1;\n</script>\n<template><!-- Anew. --><p :a="told">{{ a }} told</p></template>';
    expect(problemsOf(component, 'a.vue')).toHaveLength(3);
  });
});
