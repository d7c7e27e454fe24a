// Lint rules of the project. Besides the usual checks they hold the walls between the rooms (tools/lint/rooms.mjs):
// each folder names what it may import, and the message prints that list.
import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import tseslint from 'typescript-eslint';
import rooms from './tools/lint/rooms.mjs';
import sentences from './tools/lint/no-sentences.mjs';
import words from './tools/lint/words.mjs';

const house = { rules: { ...words.rules, ...sentences.rules } };

const formattedByOxfmt = Object.fromEntries(
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

/** Files with text that has no codes in resources/locales (tools/lint/no-sentences.mjs). */
const otherText = [
  'main/server/{access,index,sockets}.ts', // headers and reasons of HTTP
  'main/services/files/data-folder.ts', // a folder's name
  'main/services/machine/{diagnostics,licences}.ts', // for a bug report; names of licences
  'main/services/projects/pages.ts', // an issue of a schema
  'renderer/vite.config.ts', // settings of the build
  'shared/config/{command-line,model}.ts', // a command; issues of a schema
  'shared/models/catalogue.ts', // names of models
  'main/engine/reward/reward-quality.ts', // a report with the specification's text
  'main/formats/gguf/modelfile.ts', // Ollama's instructions
  'main/formats/pages/parts.ts', // a style sheet
  'main/formats/reward-dataset.ts', // a report with the specification's text
  'main/installation/pinned.mjs', // names of downloads
  'main/jobs/export/trl-scripts.ts', // Python
  'main/storage/disk/trash.ts', // a file format
  'main/storage/datasets/reward-dataset-inspection.ts', // a report with the specification's text
  'main/jobs/rating/task-page.ts', // a style sheet
  'main/jobs/rating/task-script.ts', // a script
  'renderer/components/wizard/HubName.vue', // a model's name
  'renderer/composables/useKeptFocus.ts', // a selector
  'renderer/vite.config.ts', // code and styles
];

/**
 * Names of fields that are stored on disk or sent between processes.
 * @type {string[]}
 */
const storedNames = ['said', 'asked'];

const noHiddenInputs = [
  { object: 'Math', property: 'random', message: 'Randomness is counter-based: use main/engine/rng.ts.' },
  { object: 'Date', property: 'now', message: 'The clock is passed in (Environment.now).' },
  { object: 'performance', property: 'now', message: 'The clock is passed in (Environment.now).' },
];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'tests/artifacts', 'tests/parity/fixtures'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  // Asked of every file, Vue's rules would take a tenth of the time.
  ...vue.configs['flat/recommended'].map((config) => ({ files: ['**/*.vue', '{,tests/}renderer/**/*.ts'], ...config })),
  {
    files: ['renderer/**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      // What oxfmt decides, and what vue-tsc knows better.
      ...formattedByOxfmt,
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
    files: ['scripts/**/*.mjs', '*.mjs', 'tests/**/*.mjs', 'tools/**/*.mjs', 'main/**/*.mjs'],
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
        TextDecoder: 'readonly',
        AbortController: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { require: 'readonly', TextDecoder: 'readonly' } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['{main,renderer,shared,scripts}/**/*.{ts,vue,mjs}'],
    ignores: ['renderer/vite.config.ts'],
    plugins: { rooms },
    rules: {
      'rooms/walls': 'error',
      // Every line counts, comments and blank ones too: what a person has on the screen.
      'max-lines-per-function': ['error', { max: 80, IIFEs: true }],
    },
  },
  {
    files: ['{main,renderer,scripts,shared,tools}/**/*.{ts,vue,mjs,cjs}', 'tests/{crash,storage,tools/lint}/**/*.ts'],
    plugins: { house },
    rules: { 'house/words': ['error', { stored: storedNames }] },
  },
  {
    files: ['{main,renderer,shared}/**/*.{ts,mjs,vue}'],
    ignores: otherText,
    plugins: { house },
    rules: { 'house/no-sentences': 'error' },
  },
  {
    files: ['{main,shared,scripts}/**/*.{ts,mjs}'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'any', message: 'Electron 25, which the tests run in, does not have it.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'A literal in a literal is a plain literal: write its keys here.',
        },
      ],
    },
  },
  {
    files: ['main/engine/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...noHiddenInputs],
      'no-restricted-globals': ['error', { name: 'process', message: 'The environment is passed in.' }],
    },
  },
);
