/** Advice can be followed where it is shown: flags, commands and labels exist, and the window, which has no flags, names labels. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { commonShape } from '../../../main/cli/command.js';
import { commandNamed, commands, commandWith } from '../../../main/cli/commands/index.js';
import { setCommandWith, setLanguage, t } from '../../../main/cli/language.js';
import { readCatalogues } from '../../../main/installation/locales.mjs';
import { projectShape } from '../../../shared/config/index.js';

const root = join(import.meta.dirname, '../../..');
const catalogues = Object.entries(readCatalogues());
const flagsOf = (command: (typeof commands)[number]): readonly string[] => [
  ...Object.keys({ ...command.shape, ...commonShape }),
  ...Object.keys(command.aliases),
];
const flags = new Set([...commands.flatMap(flagsOf), 'help', 'version', 'json']);
/** Flags of llama.cpp's llama-gguf-split, the set-up, and nanoGPT. */
const ofOthers = new Set(['merge', 'gpu', 'only', 'out_dir']);
/** What only a terminal shows. */
const inTerminal =
  /^(cli|cluster|commandAbout|help|configFile|option|projectList|rate\.next|run|server|start)\.|^exported\.|^reward\.give_critic$/;

const [, english = {}] = catalogues.find(([language]) => language === 'en') ?? [];

const literalFlags = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][a-z_]*)/g)].map(([, name]) => name ?? '');
const taggedOptions = (text: string): readonly string[] =>
  [...text.matchAll(/<(?:option|setting)>(\w+)/g)].map(([, name]) => name ?? '');
type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** What a text writes itself in the window: sentences and their parts, with a gap for each argument and tag. */
function wordsOf(text: string): readonly string[] {
  const branches: string[] = [];
  const join = (elements: readonly Element[]): string =>
    elements
      .map((element) => {
        if (element.type === 0) return element.value;
        if (element.type === 5 || element.type === 6) {
          const shown = Object.entries(element.options).filter(
            ([name]) => !(element.value === 'surface' && name === 'terminal'),
          );
          branches.push(...shown.map(([, { value }]) => join(value)));
        }
        return ' … ';
      })
      .join('');
  return [join(new IntlMessageFormat(text, 'en').getAst()), ...branches];
}

const pageSources = globSync('renderer/**/*.{ts,vue}', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
/** Codes that the window's sources name; those of settings and their choices follow from the schemas. */
const ofWindow = new Set(
  pageSources.flatMap((source) => [...source.matchAll(/['"`]([\w.]+)['"`]/g)].map(([, code]) => code)),
);
const labelled = (code: string) => ofWindow.has(code) || /^setting\.\w+\.(label|choices\.\w+)$/.test(code);

/** What another surface than the terminal shows of a text. */
const elsewhere = (text: string): string => text.replace(/terminal \{(?:[^{}]|\{[^{}]*\})*\}/g, '');

describe.each(catalogues)('in %s', (_language, texts) => {
  it('every flag that a text names is one of a command', () => {
    const wrong = Object.entries(texts).flatMap(([code, text]) =>
      literalFlags(text).flatMap((name) => (flags.has(name) || ofOthers.has(name) ? [] : [`${code}: --${name}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('every setting that a text names is one of a project or of a command', () => {
    // A model's own setting, which follows from its tokens.
    const known = new Set([...flags, ...Object.keys(projectShape), 'vocab_size']);
    const wrong = Object.entries(texts).flatMap(([code, text]) =>
      taggedOptions(text).flatMap((name) => (known.has(name) ? [] : [`${code}: ${name}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('the window names no flags', () => {
    const wrong = Object.entries(texts).filter(
      ([code, text]) =>
        !inTerminal.test(code) &&
        literalFlags(elsewhere(text)).some((name) => !['merge', 'gpu', 'only'].includes(name)),
    );
    expect(wrong.map(([code]) => code)).toEqual([]);
  });
});

describe.each(catalogues)('buttons, pages and fields in %s', (language, texts) => {
  const labels = new Set(
    Object.entries(texts).flatMap(([code, text]) => (labelled(code) && !/[{<]|\.$/.test(text) ? [text] : [])),
  );
  const shown = Object.entries(texts).filter(([code]) => !inTerminal.test(code) && !code.startsWith('option.'));

  it('are named by tags whose texts the window has, the same in every language', () => {
    const tagged = (text = '') =>
      [...text.matchAll(/<(label|setting|option|choice)>([\w.=]+)</g)].map(([, ...tag]) => tag);
    const names = (text = '') => [...new Set(tagged(text).map((tag) => tag.join(' ')))].sort();
    const wrong = Object.entries(texts).filter(
      ([code, text]) =>
        tagged(text).some(
          ([tag, name = '']) => tag === 'label' && !(labelled(name) && labels.has(texts[name] ?? '')),
        ) || catalogues.some(([, others]) => names(others[code]).join() !== names(text).join()),
    );
    expect(wrong).toEqual([]);
  });

  it('are not quoted by hand', () => {
    const quoted = shown.flatMap(([code, text]) =>
      wordsOf(text).flatMap((words) =>
        [...words.matchAll(/[“„]([^“„”…]+)[”“]/g)].flatMap(([, name = '']) =>
          labels.has(name) || (language === 'en' && /^\p{Lu}/u.test(name)) ? [`${code}: ${name}`] : [],
        ),
      ),
    );
    expect(quoted).toEqual([]);
  });

  it('are not named by their keys', () => {
    const keys = Object.keys(projectShape).filter((key) => key.includes('_'));
    // Not of a block that is printed as it is, nor a key of a model's file.
    const key = new RegExp(`\\b(?:${keys.join('|')})\\b(?!=)`, 'g');
    const named = shown.flatMap(([code, text]) =>
      /\.json/.test(text)
        ? []
        : wordsOf(text).flatMap((words) => (words.match(key) ?? []).map((name) => `${code}: ${name}`)),
    );
    expect(named).toEqual([]);
  });
});

it('no sentence names a label of the window without its tag', () => {
  // In English, where a capital letter within a sentence tells a label from a word.
  const labels = Object.entries(english).flatMap(([code, text]) =>
    labelled(code) && /^[A-Z]([a-z]+$|.* [a-z])/.test(text) && !/[{<.()?+*[\]|]/.test(text) && text !== 'Verisim'
      ? [text]
      : [],
  );
  const label = new RegExp(`(?<=[a-z,;] )(?:${labels.join('|')})(?![\\w-])`, 'g');
  const wrong = Object.entries(english).flatMap(([code, text]) =>
    inTerminal.test(code)
      ? []
      : wordsOf(text)
          .filter((words) => /[.!]\s*$/.test(words))
          .flatMap((words) => (words.match(label) ?? []).map((name) => `${code}: ${name}`)),
  );
  expect(labels.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

/** `verisim cycle`, `npm run -s verisim -- cycle`. */
const COMMAND = /\bverisim (?:-- )?([a-z_]+)/g;
const isCommandOrSetting = (name: string) => commandNamed(name) !== null || flags.has(name) || name in projectShape;

it('commands that pages, sources and their comments name exist', () => {
  const files = globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md', '{main,renderer,shared}/**/*.{md,mjs,ts,vue}'], {
    cwd: root,
  });
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(COMMAND)].map(([, name = '']) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ name }) => commandNamed(name) === null)).toEqual([]);
});

it('commands, scripts and files that a text names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const sources = globSync(['main/**/*.ts', 'shared/**/*.ts'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const exists = [
    [/npm run (?:-s )?([\w:]+)/g, (name: string) => name in scripts],
    [COMMAND, (name: string) => commandNamed(name) !== null],
    // Bare, as only names with an underscore differ from words.
    [/(?<![\w<./{])((?:dataset|prepare|rating|train)_[a-z_]+)(?![\w.])/g, isCommandOrSetting],
    [
      /[\w-]*(\w\.(?:json|jsonl|pkl|pt|bin|npy|model|safetensors|txt))\b/g,
      (_name: string, all: string) => sources.includes(all.replace(/^(train|val)_/, '}_')),
    ],
  ] as const;
  const wrong = catalogues.flatMap(([, texts]) =>
    Object.entries(texts).flatMap(([code, text]) =>
      exists.flatMap(([pattern, test]) =>
        [...text.matchAll(pattern)].flatMap(([all, name = '']) => (test(name, all) ? [] : [`${code}: ${all}`])),
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

it('a command advises only its own flags', () => {
  const files = globSync('main/{jobs,cli}/commands/*.ts', { cwd: root });
  const checked = files.flatMap((file) => {
    const command = commandNamed(basename(file, '.ts').replaceAll('-', '_'));
    if (!command) return [];
    const codes = [...readFileSync(join(root, file), 'utf8').matchAll(/localized\('([\w.]+)'/g)].map(
      ([, code]) => code,
    );
    const named = (code = '') => [...literalFlags(english[code] ?? ''), ...taggedOptions(english[code] ?? '')];
    return codes.map((code) => ({ code, others: named(code).filter((name) => !flagsOf(command).includes(name)) }));
  });
  expect(checked.length).toBeGreaterThan(10);
  expect(checked.filter(({ others }) => others.length > 0)).toEqual([]);
});

it.each([
  ['train', 'block_size', '--block_size'],
  ['train', 'output_dir', '--output_dir'],
  ['perplexity', 'block_size', '--block_size (npm run -s verisim -- new)'],
  ['sample', 'meta_path', '--meta_path (npm run -s verisim -- new)'],
  ['train_grpo', 'critic_path', '--critic_path (npm run -s verisim -- train_reward_model)'],
  ['sample', 'json', '--json'],
])('%s names %s as %s', (name, flag, shown) => {
  const command = commandNamed(name) ?? expect.unreachable();
  setCommandWith((each) => commandWith(command, each));
  setLanguage('en');
  expect(t('config.give_another_folder', { field: flag })).toBe(`Give ${shown} another folder.`);
  setCommandWith(() => undefined);
});
