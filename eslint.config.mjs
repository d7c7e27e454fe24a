// Lint rules of the project. Besides the usual checks they hold the layers of docs/architecture.md:
// each folder names what it may import, and the message prints that list.
import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import tseslint from 'typescript-eslint';

/**
 * @param {string} folder the layer's folder, from the root
 * @param {string[]} banned import patterns that the layer must not use
 * @param {string} allowed what it may import, in words
 * @param {string[]} [except] files of the layer that the rule leaves out
 */
const layer = (folder, banned, allowed, except = []) =>
  /** @type {import('typescript-eslint').ConfigArray[number]} */ ({
    files: [`${folder}/**/*.{ts,vue}`],
    ignores: except,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: banned.join('|'), message: `${folder} may import only: ${allowed}.` }] },
      ],
    },
  });

/** From the lowest layer of main to the highest; what lies above `folder` is not for it to import. */
const above = (/** @type {'storage' | 'jobs'} */ folder) => {
  const layers = ['storage', 'jobs', 'supervisor', 'trainer', 'services', 'ipc', 'server', 'cli', 'app'];
  return layers.slice(layers.indexOf(folder) + 1).map((name) => `^(\\.\\./)+${name}/`);
};

const formattedByPrettier = Object.fromEntries(
  [
    'html-closing-bracket-newline',
    'html-indent',
    'html-self-closing',
    'max-attributes-per-line',
    'multiline-html-element-content-newline',
    'singleline-html-element-content-newline',
    'first-attribute-linebreak',
    'html-closing-bracket-spacing',
    'html-quotes',
    'mustache-interpolation-spacing',
    'no-multi-spaces',
  ].map((rule) => [`vue/${rule}`, 'off']),
);

const noHiddenInputs = [
  { object: 'Math', property: 'random', message: 'Randomness is counter-based: use main/engine/rng.ts.' },
  { object: 'Date', property: 'now', message: 'The clock is passed in (Environment.now).' },
  { object: 'performance', property: 'now', message: 'The clock is passed in (Environment.now).' },
];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'tests/artifacts', 'tests/parity/fixtures'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  ...vue.configs['flat/recommended'],
  {
    files: ['renderer/**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      // What prettier decides, and what vue-tsc knows better.
      ...formattedByPrettier,
      'no-undef': 'off',
      'vue/multi-word-component-names': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/no-v-html': 'error',
    },
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['scripts/**/*.mjs', '*.mjs', 'tests/**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { require: 'readonly', TextDecoder: 'readonly' } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  layer(
    'shared',
    ['^node:', '^electron', '^vue', '^@tensorflow', '/main/', '/renderer/', '^(?!zod$|\\.)'],
    'zod and its own files',
  ),
  layer(
    'main/engine',
    [
      '^electron',
      '^vue',
      '^node:',
      '^fs$',
      '^path$',
      '/renderer/',
      '/cli/',
      '/storage/',
      '/supervisor/',
      '/server/',
      '/ipc/',
      '/app/',
    ],
    '@tensorflow packages, gpt-tokenizer, shared and its own files',
    ['main/engine/runtime/native.ts', 'main/engine/runtime/processor.ts'],
  ),
  layer(
    'main/storage',
    ['^electron', '^vue', '^@tensorflow', '/renderer/', ...above('storage')],
    'node, shared, main/engine and its own files',
  ),
  layer(
    'main/jobs',
    ['^electron', '^vue', '/renderer/', ...above('jobs')],
    'node, shared, main/engine, main/storage and its own files',
  ),
  layer(
    'main/supervisor',
    ['^electron', '^vue', '^@tensorflow', '/renderer/', ...above('jobs'), '/jobs/'],
    'node, shared, main/engine, main/storage and its own files',
  ),
  layer(
    'main/trainer',
    ['^electron', '^vue', '/renderer/', ...above('jobs')],
    'node, shared, main/engine, main/storage, main/jobs and its own files',
  ),
  layer(
    'renderer',
    ['^node:', '^electron', '^@tensorflow', '/main/'],
    'vue and its libraries, shared and its own files',
    ['renderer/vite.config.ts'],
  ),
  {
    files: ['main/engine/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...noHiddenInputs],
      'no-restricted-globals': ['error', { name: 'process', message: 'The environment is passed in.' }],
    },
  },
);
