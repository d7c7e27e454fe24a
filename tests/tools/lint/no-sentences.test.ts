/** The rule reports text that a user could read, and none that only a developer reads (tools/lint/no-sentences.mjs). */
import { Linter } from 'eslint';
import { describe, expect, it } from 'vitest';
import vueParser from 'vue-eslint-parser';
import house from '../../../tools/lint/no-sentences.mjs';

function problemsOf(code: string, filename = 'a.js') {
  const parser = filename.endsWith('.vue') ? { languageOptions: { parser: vueParser } } : {};
  const rules = { 'house/no-sentences': 'error' } as const;
  const config = { files: ['**/*.js', '**/*.vue'], plugins: { house }, rules, ...parser } as unknown as Linter.Config;
  return new Linter().verify(code, [config], filename).map(({ message }) => message);
}

describe('the rule for sentences', () => {
  it.each([
    "const hint = 'Choose another file.';",
    'const message = `${name} is missing`;',
    "throw new UserError({ message: 'It is full' });",
    'const one = html`<p class="soft">Nothing yet</p>`;',
    "const either = isLong ? 'the long one' : t('short');",
  ])('reports %s', (code) => {
    expect(problemsOf(code)).toHaveLength(1);
  });

  it.each([
    "import x from './two words.js';",
    "'use strict please';",
    "throw new Error('no such thing');",
    'console.error(`no ${thing} here`);',
    "const schema = z.string().describe('The name of it');",
    "const names = 'one two three'.split(' ');",
    "t('home.title', { name: 'x' });",
    "const classes = 'flex items-center gap-2';",
    "const type = 'text/html; charset=utf-8';",
    'const one = html`<p class="soft warning">${text}</p>`;',
    "const word = 'word';",
  ])('leaves %s alone', (code) => {
    expect(problemsOf(code)).toEqual([]);
  });

  it.each([
    '<p>Start</p>',
    '<p aria-label="Close" />',
    `<p :title="a ? 'Not here' : ''" />`,
    "<p>{{ 'Not here' }}</p>",
  ])('reports %s in a template', (markup) => {
    expect(problemsOf(`<template>${markup}</template>`, 'a.vue')).toHaveLength(1);
  });

  it.each([
    '<p class="soft text">{{ t(\'a.b\') }}</p>',
    `<p :class="a ? 'flex grow' : 'block shrink'" />`,
    '<kbd>Enter</kbd>',
  ])('leaves %s in a template alone', (markup) => {
    expect(problemsOf(`<template>${markup}</template>`, 'a.vue')).toEqual([]);
  });
});
